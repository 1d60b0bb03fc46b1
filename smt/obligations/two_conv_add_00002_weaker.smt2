; q3
(set-logic QF_UFLIA)
(set-info :status sat)
(declare-fun x1.3 () Int)
(declare-fun w1.3 () Int)
(declare-fun |c1.strides[1]| () Int)
(declare-fun |c1.dilation[1]| () Int)
(declare-fun |c1.padding[1]| () Int)
(declare-fun |c1.padding[3]| () Int)
(declare-fun |`c1.dilation[1]` * w1.3| () Int)
(declare-fun |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| () Int)
(declare-fun |`c1.strides[1]` * (-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| () Int)
(assert
 (<= 1 x1.3))
(assert
 (<= 1 w1.3))
(assert
 (<= 1 |c1.strides[1]|))
(assert
 (<= 1 |c1.dilation[1]|))
(assert
 (<= 0 |c1.padding[1]|))
(assert
 (<= 0 |c1.padding[3]|))
(assert
 (let ((?x81 (+ |c1.dilation[1]| |c1.padding[1]| |c1.padding[3]| x1.3)))
 (let ((?x84 (+ |`c1.dilation[1]` * w1.3| 1)))
 (<= ?x84 ?x81))))
(assert
 (let ((?x101 (+ |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| 1)))
 (<= 0 ?x101)))
(assert
 (let ((?x81 (+ |c1.dilation[1]| |c1.padding[1]| |c1.padding[3]| x1.3)))
 (let ((?x150 (+ |`c1.dilation[1]` * w1.3| |`c1.strides[1]` * (-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| 1)))
 (<= ?x150 ?x81))))
(assert
 (let ((?x154 (+ |`c1.dilation[1]` * w1.3| |`c1.strides[1]` * (-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| |c1.strides[1]|)))
 (let ((?x81 (+ |c1.dilation[1]| |c1.padding[1]| |c1.padding[3]| x1.3)))
 (<= ?x81 ?x154))))
(assert
 (let ((?x169 (+ |`c1.strides[1]` * (-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| |c1.strides[1]|)))
 (let (($x170 (<= ?x169 0)))
 (let ((?x101 (+ |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| 1)))
 (let (($x168 (<= ?x101 0)))
 (let (($x171 (and $x168 $x170)))
 (let (($x166 (<= |c1.strides[1]| |`c1.strides[1]` * (-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`|)))
 (let (($x165 (<= 1 |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`|)))
 (let (($x167 (and $x165 $x166)))
 (let (($x163 (= 0 |`c1.strides[1]` * (-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`|)))
 (let (($x162 (= 0 |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`|)))
 (let (($x164 (and $x162 $x163)))
 (or $x164 $x167 $x171)))))))))))))
(assert
 (let ((?x101 (+ |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| 1)))
 (let (($x168 (<= ?x101 0)))
 (let ((?x81 (+ |c1.dilation[1]| |c1.padding[1]| |c1.padding[3]| x1.3)))
 (let ((?x84 (+ |`c1.dilation[1]` * w1.3| 1)))
 (let (($x85 (<= ?x84 ?x81)))
 (or $x85 $x168)))))))
(assert
 (let (($x188 (<= 0 |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`|)))
 (let ((?x81 (+ |c1.dilation[1]| |c1.padding[1]| |c1.padding[3]| x1.3)))
 (let (($x187 (<= ?x81 |`c1.dilation[1]` * w1.3|)))
 (or $x187 $x188)))))
(assert
 (<= 0 |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`|))
(assert
 (<= 1 |`c1.dilation[1]` * w1.3|))
(assert
 (let ((?x84 (+ |`c1.dilation[1]` * w1.3| 1)))
 (let ((?x202 (+ |c1.dilation[1]| w1.3)))
 (<= ?x202 ?x84))))
(assert
 (let ((?x169 (+ |`c1.strides[1]` * (-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| |c1.strides[1]|)))
 (let ((?x101 (+ |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| 1)))
 (<= ?x101 ?x169))))
(assert
 (<= |(-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`| |`c1.strides[1]` * (-`c1.dilation[1]` * w1.3 + `c1.dilation[1]` + `c1.padding[1]` + `c1.padding[3]` + x1.3 - 1) // `c1.strides[1]`|))
(check-sat)
(exit)
