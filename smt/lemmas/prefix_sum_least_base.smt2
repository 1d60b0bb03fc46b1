; sum(t) >= least*t for t >= 0, by induction over t: t = 0.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_UFNIA)
(declare-const least Int)
(declare-fun sum (Int) Int)
(declare-fun item (Int) Int)
; what the checker assumes
(assert (= (sum 0) 0))
; and not what it concludes
(assert (not (>= (sum 0) (* least 0))))
(check-sat)
