; Integers of which the product is 1, one being positive: that one is 1.
; Used by src/facts/unit_equations.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const a Int)
(declare-const b Int)
; what the checker assumes
(assert (>= a 1))
(assert (= (* a b) 1))
; and not what it concludes
(assert (not (= a 1)))
(check-sat)
