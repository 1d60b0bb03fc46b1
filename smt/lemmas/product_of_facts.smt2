; What is not negative has products that are not negative.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const f Int)
(declare-const g Int)
; what the checker assumes
(assert (>= f 0))
(assert (>= g 0))
; and not what it concludes
(assert (not (>= (* f g) 0)))
(check-sat)
