; e // (a*b) = p, where q = e // a and p = q // b, for a, b >= 1.
; Used by src/facts/index_terms.cpp and src/algebra/simplify.cpp. With quotient_within: what lies within m of m*k has the quotient k.
(set-info :status unsat)
(set-logic QF_NIA)
(declare-const e Int)
(declare-const a Int)
(declare-const b Int)
(declare-const q Int)
(declare-const r Int)
(declare-const p Int)
(declare-const s Int)
; what the checker assumes
(assert (>= a 1))
(assert (>= b 1))
(assert (= e (+ (* a q) r)))
(assert (<= 0 r))
(assert (< r a))
(assert (= q (+ (* b p) s)))
(assert (<= 0 s))
(assert (< s b))
; and not what it concludes
(assert (not (and (<= 0 (- e (* (* a b) p))) (< (- e (* (* a b) p)) (* a b)))))
(check-sat)
