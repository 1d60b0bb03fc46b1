; q1
(set-logic QF_UFLIA)
(set-info :status sat)
(declare-fun x1.1 () Int)
(assert
 (<= 1 x1.1))
(check-sat)
(exit)
