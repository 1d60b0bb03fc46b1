; q = e // m for m >= 1: m*q <= e < m*q + m.
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
(assert (not (and (<= (* m q) e) (< e (+ (* m q) m)))))
(check-sat)
