; q6
(set-logic QF_UFLIA)
(set-info :status sat)
(declare-fun x1.1 () Int)
(declare-fun c~276 () Int)
(assert
 (<= 1 x1.1))
(assert
 (<= 0 c~276))
(assert
 (let ((?x182 (+ c~276 1)))
 (<= ?x182 x1.1)))
(check-sat)
(exit)
