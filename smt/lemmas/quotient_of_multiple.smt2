; (k*m + e) // m = k + q, where q = e // m.
; Used by src/facts/index_terms.cpp and src/algebra/simplify.cpp. With quotient_within: what lies within m of m*k has the quotient k.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const e Int)
(declare-const m Int)
(declare-const k Int)
(declare-const q Int)
(declare-const r Int)
; what the checker assumes
(assert (>= m 1))
(assert (= e (+ (* m q) r)))
(assert (<= 0 r))
(assert (< r m))
; and not what it concludes
(assert (not (and (<= 0 (- (+ (* k m) e) (* m (+ k q)))) (< (- (+ (* k m) e) (* m (+ k q))) m))))
(check-sat)
