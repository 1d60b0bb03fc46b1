; e < m*u gives e // m < u.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const e Int)
(declare-const m Int)
(declare-const q Int)
(declare-const r Int)
(declare-const u Int)
; what the checker assumes
(assert (>= m 1))
(assert (= e (+ (* m q) r)))
(assert (<= 0 r))
(assert (< r m))
(assert (< e (* m u)))
; and not what it concludes
(assert (not (< q u)))
(check-sat)
