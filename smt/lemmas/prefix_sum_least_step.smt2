; The same: from t to t + 1.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_UFNIA)
(declare-const t Int)
(declare-const least Int)
(declare-fun sum (Int) Int)
(declare-fun item (Int) Int)
; what the checker assumes
(assert (<= 0 t))
(assert (>= (item t) least))
(assert (= (sum (+ t 1)) (+ (sum t) (item t))))
(assert (>= (sum t) (* least t)))
; and not what it concludes
(assert (not (>= (sum (+ t 1)) (* least (+ t 1)))))
(check-sat)
