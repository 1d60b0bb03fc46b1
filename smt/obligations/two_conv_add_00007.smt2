; q31
(set-logic QF_UFLIA)
(set-info :status unsat)
(declare-fun x1.1 () Int)
(declare-fun c~270 () Int)
(assert
 (<= 1 x1.1))
(assert
 (let ((?x40 (+ c~270 1)))
 (<= ?x40 x1.1)))
(assert
 (<= 0 c~270))
(assert
 (let ((?x219 (* 2 x1.1)))
 (<= ?x219 c~270)))
(check-sat)
(exit)
