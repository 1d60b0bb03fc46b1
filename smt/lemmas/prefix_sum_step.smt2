; The same: from y to y + 1.
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
(assert (< x y))
(assert (>= (item y) least))
(assert (= (sum (+ y 1)) (+ (sum y) (item y))))
(assert (<= (+ (sum x) (item x) (* least (- (- y x) 1))) (sum y)))
; and not what it concludes
(assert (not (<= (+ (sum x) (item x) (* least (- (- (+ y 1) x) 1))) (sum (+ y 1)))))
(check-sat)
