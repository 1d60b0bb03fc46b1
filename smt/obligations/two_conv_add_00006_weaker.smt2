; q7
(set-logic QF_UFLIA)
(set-info :status sat)
(declare-fun x1.1 () Int)
(declare-fun c~273 () Int)
(assert
 (<= 1 x1.1))
(assert
 (<= 0 c~273))
(assert
 (let ((?x129 (+ c~273 1)))
 (<= ?x129 x1.1)))
(check-sat)
(exit)
