; (g*e + r) // (g*m) = q, where q = e // m and 0 <= r < g.
; Used by src/facts/index_terms.cpp and src/algebra/simplify.cpp. With quotient_within: what lies within m of m*k has the quotient k.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const e Int)
(declare-const g Int)
(declare-const m Int)
(declare-const q Int)
(declare-const r Int)
(declare-const s Int)
; what the checker assumes
(assert (>= g 1))
(assert (>= m 1))
(assert (<= 0 r))
(assert (< r g))
(assert (= e (+ (* m q) s)))
(assert (<= 0 s))
(assert (< s m))
; and not what it concludes
(assert (not (and (<= 0 (- (+ (* g e) r) (* (* g m) q))) (< (- (+ (* g e) r) (* (* g m) q)) (* g m)))))
(check-sat)
