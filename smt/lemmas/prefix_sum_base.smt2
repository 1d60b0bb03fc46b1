; sum(x) + item(x) + least*(y - x - 1) <= sum(y) for 0 <= x < y, by induction over y: y = x + 1.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_UFNIA)
(declare-const x Int)
(declare-const y Int)
(declare-const least Int)
(declare-fun sum (Int) Int)
(declare-fun item (Int) Int)
; what the checker assumes
(assert (<= 0 x))
(assert (= (sum (+ x 1)) (+ (sum x) (item x))))
(assert (= y (+ x 1)))
; and not what it concludes
(assert (not (<= (+ (sum x) (item x) (* least (- (- y x) 1))) (sum y))))
(check-sat)
