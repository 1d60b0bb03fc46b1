; m*q is 0, or at least m away from it, as q is 0, at least 1 or at most -1.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const m Int)
(declare-const q Int)
; what the checker assumes
(assert (>= m 1))
; and not what it concludes
(assert (not (or (and (= q 0) (= (* m q) 0)) (and (>= q 1) (>= (* m q) m)) (and (<= q (- 1)) (<= (* m q) (- m))))))
(check-sat)
