; A positive factor of an equation may be cancelled.
; Used by src/facts/unit_equations.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const f Int)
(declare-const a Int)
(declare-const b Int)
; what the checker assumes
(assert (>= f 1))
(assert (= (* f a) (* f b)))
; and not what it concludes
(assert (not (= a b)))
(check-sat)
