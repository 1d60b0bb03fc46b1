; A product with the larger of two numbers is that with the one, where it is not the smaller; and with the other likewise. (With the
; smaller of two, or with one that a guard chooses: the same, with the order or the guard for `u >= v`.)
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const u Int)
(declare-const v Int)
(declare-const rest Int)
(declare-const chosen Int)
; what the checker assumes
(assert (=> (>= u v) (= chosen u)))
(assert (=> (>= v u) (= chosen v)))
; products of equal numbers are equal
(assert (=> (= chosen u) (= (* chosen rest) (* u rest))))
(assert (=> (= chosen v) (= (* chosen rest) (* v rest))))
; and not what it concludes
(assert (not (and (=> (>= u v) (= (* chosen rest) (* u rest))) (=> (>= v u) (= (* chosen rest) (* v rest))))))
(check-sat)
