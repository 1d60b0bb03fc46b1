; 0 <= e - m*k < m gives e // m = k.
; Used by src/facts/index_terms.cpp and src/algebra/simplify.cpp.
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
(assert (<= 0 (- e (* m k))))
(assert (< (- e (* m k)) m))
; and not what it concludes
(assert (not (= q k)))
(check-sat)
