; Two quotients by one divisor are equal, or at least one apart, and so are their multiples.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const m Int)
(declare-const p Int)
(declare-const q Int)
; what the checker assumes
(assert (>= m 1))
; and not what it concludes
(assert (not (or (and (= q p) (= (* m q) (* m p))) (and (> q p) (>= (* m q) (+ (* m p) m))) (and (< q p) (<= (+ (* m q) m) (* m p))))))
(check-sat)
