; q4
(set-logic QF_UFLIA)
(set-info :status unsat)
(declare-fun x1.2 () Int)
(declare-fun w1.2 () Int)
(declare-fun |c1.strides[0]| () Int)
(declare-fun |c1.dilation[0]| () Int)
(declare-fun |c1.padding[0]| () Int)
(declare-fun |c1.padding[2]| () Int)
(declare-fun |`c1.dilation[0]` * w1.2| () Int)
(declare-fun |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| () Int)
(declare-fun |`c1.strides[0]` * (-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| () Int)
(assert
 (<= 1 x1.2))
(assert
 (<= 1 w1.2))
(assert
 (<= 1 |c1.strides[0]|))
(assert
 (<= 1 |c1.dilation[0]|))
(assert
 (<= 0 |c1.padding[0]|))
(assert
 (<= 0 |c1.padding[2]|))
(assert
 (let ((?x65 (+ |c1.dilation[0]| |c1.padding[0]| |c1.padding[2]| x1.2)))
 (let ((?x68 (+ |`c1.dilation[0]` * w1.2| 1)))
 (<= ?x68 ?x65))))
(assert
 (let ((?x96 (+ |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| 1)))
 (<= 0 ?x96)))
(assert
 (let ((?x223 (+ w1.2 1)))
 (<= ?x223 0)))
(assert
 (let ((?x65 (+ |c1.dilation[0]| |c1.padding[0]| |c1.padding[2]| x1.2)))
 (let ((?x106 (+ |`c1.dilation[0]` * w1.2| |`c1.strides[0]` * (-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| 1)))
 (<= ?x106 ?x65))))
(assert
 (let ((?x110 (+ |`c1.dilation[0]` * w1.2| |`c1.strides[0]` * (-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| |c1.strides[0]|)))
 (let ((?x65 (+ |c1.dilation[0]| |c1.padding[0]| |c1.padding[2]| x1.2)))
 (<= ?x65 ?x110))))
(assert
 (let ((?x125 (+ |`c1.strides[0]` * (-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| |c1.strides[0]|)))
 (let (($x126 (<= ?x125 0)))
 (let ((?x96 (+ |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| 1)))
 (let (($x124 (<= ?x96 0)))
 (let (($x127 (and $x124 $x126)))
 (let (($x122 (<= |c1.strides[0]| |`c1.strides[0]` * (-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`|)))
 (let (($x121 (<= 1 |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`|)))
 (let (($x123 (and $x121 $x122)))
 (let (($x119 (= 0 |`c1.strides[0]` * (-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`|)))
 (let (($x118 (= 0 |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`|)))
 (let (($x120 (and $x118 $x119)))
 (or $x120 $x123 $x127)))))))))))))
(assert
 (let ((?x96 (+ |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| 1)))
 (let (($x124 (<= ?x96 0)))
 (let ((?x65 (+ |c1.dilation[0]| |c1.padding[0]| |c1.padding[2]| x1.2)))
 (let ((?x68 (+ |`c1.dilation[0]` * w1.2| 1)))
 (let (($x69 (<= ?x68 ?x65)))
 (or $x69 $x124)))))))
(assert
 (let (($x144 (<= 0 |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`|)))
 (let ((?x65 (+ |c1.dilation[0]| |c1.padding[0]| |c1.padding[2]| x1.2)))
 (let (($x143 (<= ?x65 |`c1.dilation[0]` * w1.2|)))
 (or $x143 $x144)))))
(assert
 (<= 0 |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`|))
(assert
 (<= 1 |`c1.dilation[0]` * w1.2|))
(assert
 (let ((?x68 (+ |`c1.dilation[0]` * w1.2| 1)))
 (let ((?x197 (+ |c1.dilation[0]| w1.2)))
 (<= ?x197 ?x68))))
(assert
 (let ((?x125 (+ |`c1.strides[0]` * (-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| |c1.strides[0]|)))
 (let ((?x96 (+ |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| 1)))
 (<= ?x96 ?x125))))
(assert
 (<= |(-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`| |`c1.strides[0]` * (-`c1.dilation[0]` * w1.2 + `c1.dilation[0]` + `c1.padding[0]` + `c1.padding[2]` + x1.2 - 1) // `c1.strides[0]`|))
(assert
 (let ((?x223 (+ w1.2 1)))
 (let ((?x180 (+ |`c1.dilation[0]` * w1.2| |c1.dilation[0]|)))
 (<= ?x180 ?x223))))
(check-sat)
(exit)
