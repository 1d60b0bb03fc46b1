; q7
(set-logic QF_UFLIA)
(set-info :status unsat)
(declare-fun x1.1 () Int)
(declare-fun c~273 () Int)
(assert
 (<= 1 x1.1))
(assert
 (<= 0 c~273))
(assert
 (let ((?x129 (+ c~273 1)))
 (<= ?x129 x1.1)))
(assert
 (let ((?x94 (+ c~273 x1.1 1)))
 (<= ?x94 0)))
(check-sat)
(exit)
