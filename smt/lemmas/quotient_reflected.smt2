; The quotients by one divisor of two numbers that add up to -1 add up to -1: a ceiling is a floor of one less, and one.
; Used by src/facts/lemmas.cpp.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const m Int)
(declare-const e Int)
(declare-const p Int)
(declare-const q Int)
; what the checker assumes
(assert (>= m 1))
(assert (and (<= (* m q) e) (< e (+ (* m q) m))))
(assert (and (<= (* m p) (- (- 1) e)) (< (- (- 1) e) (+ (* m p) m))))
; the sum is at least 0, or at most -2, or -1: its multiple is that much
(assert (or (and (>= (+ q p) 0) (>= (* m (+ q p)) 0)) (and (<= (+ q p) (- 2)) (<= (* m (+ q p)) (* (- 2) m))) (= (+ q p) (- 1))))
; and not what it concludes
(assert (not (= (+ q p) (- 1))))
(check-sat)
