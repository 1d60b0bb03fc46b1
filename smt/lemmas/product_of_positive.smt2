; What is at least 1 has products of at least 1.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const f Int)
(declare-const g Int)
; what the checker assumes
(assert (>= f 1))
(assert (>= g 1))
; and not what it concludes
(assert (not (>= (* f g) 1)))
(check-sat)
