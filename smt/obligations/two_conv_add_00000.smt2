; q1
(set-logic QF_UFLIA)
(set-info :status unsat)
(declare-fun x1.1 () Int)
(assert
 (<= 1 x1.1))
(assert
 (let ((?x219 (* 2 x1.1)))
 (let ((?x216 (+ ?x219 1)))
 (<= ?x216 0))))
(check-sat)
(exit)
