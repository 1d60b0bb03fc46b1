; q = e // m for m >= 1 has the sign of e, 0 counting as positive.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const e Int)
(declare-const m Int)
(declare-const q Int)
(declare-const r Int)
; what the checker assumes
(assert (>= m 1))
(assert (= e (+ (* m q) r)))
(assert (<= 0 r))
(assert (< r m))
; and not what it concludes
(assert (not (and (=> (>= e 0) (>= q 0)) (=> (< e 0) (< q 0)))))
(check-sat)
