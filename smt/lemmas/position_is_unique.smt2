; A position lies in one branch only: two branches that hold it are the same.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_UFLIA)
(declare-const c Int)
(declare-const j Int)
(declare-const k Int)
(declare-fun sum (Int) Int)
(declare-fun item (Int) Int)
; what the checker assumes
(assert (<= 0 j))
(assert (<= 0 k))
(assert (<= (sum j) c))
(assert (< c (+ (sum j) (item j))))
(assert (<= (sum k) c))
(assert (< c (+ (sum k) (item k))))
(assert (=> (< j k) (<= (+ (sum j) (item j)) (sum k))))
(assert (=> (< k j) (<= (+ (sum k) (item k)) (sum j))))
; and not what it concludes
(assert (not (= j k)))
(check-sat)
