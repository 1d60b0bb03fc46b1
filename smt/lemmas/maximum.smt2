; The larger of two is at least each, and one of them.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_LIA)
(declare-const a Int)
(declare-const b Int)
; what the checker assumes

; and not what it concludes
(assert (not (let ((m (ite (<= a b) b a))) (and (>= m a) (>= m b) (or (= m a) (= m b))))))
(check-sat)
