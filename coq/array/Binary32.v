(** IEEE binary32 as scalars, without axioms.

    The numbers are those of the standard library's [SpecFloat]; rounding is to nearest, ties
    to even. Functions of the C mathematics library that IEEE 754 does not determine are
    parameters.

    [fma32]        x * y + z, rounded once
    [exp_lanes32]  an approximation of exp; so [tanh_lanes32], [erf_lanes32]
    [binary32]     the scalars *)

From Coq Require Import ZArith List Bool.
From Coq.Floats Require Import SpecFloat.
From Vouch Require Import array.Syntax array.Semantics.
Import ListNotations.
Local Open Scope Z_scope.

Definition prec32 : Z := 24.
Definition emax32 : Z := 128.

Definition signed_mantissa (s : bool) (m : positive) : Z := if s then Z.neg m else Z.pos m.

(** m * 2^e, rounded; a zero result is negative if [s]. *)
Definition round32 (m e : Z) (s : bool) : spec_float := binary_normalize prec32 emax32 m e s.

Definition is_negative (x : spec_float) : bool :=
  match x with
  | S754_zero s | S754_infinity s | S754_finite s _ _ => s
  | S754_nan => false
  end.

(** A finite number as integer and exponent. *)
Definition mantissa_exponent (x : spec_float) : option (Z * Z) :=
  match x with
  | S754_zero _ => Some (0, 0)
  | S754_finite s m e => Some (signed_mantissa s m, e)
  | S754_infinity _ | S754_nan => None
  end.

Definition is_zero (x : spec_float) : bool :=
  match x with S754_zero _ => true | _ => false end.

Definition is_nan (x : spec_float) : bool := match x with S754_nan => true | _ => false end.

Definition fma32 (x y z : spec_float) : spec_float :=
  let s := xorb (is_negative x) (is_negative y) in
  match mantissa_exponent x, mantissa_exponent y, mantissa_exponent z with
  | Some (mx, ex), Some (my, ey), Some (mz, ez) =>
      let e := Z.min (ex + ey) ez in
      let sum := Z.shiftl (mx * my) (ex + ey - e) + Z.shiftl mz (ez - e) in
      round32 sum e (s && is_negative z)
  | Some _, Some _, None => z
  | _, _, _ =>
      (* a factor is infinite or not a number *)
      if is_nan x || is_nan y || is_nan z || is_zero x || is_zero y then S754_nan
      else match z with
           | S754_infinity t => if eqb s t then z else S754_nan
           | _ => S754_infinity s
           end
  end.

Definition one32 : spec_float := round32 1 0 false.
Definition truth32 (b : bool) : spec_float := if b then one32 else S754_zero false.

(** As [fmaxf] and [fminf], a number wins against none; of zeros, the first. *)
Definition max32 (x y : spec_float) : spec_float :=
  if is_nan x then y else if is_nan y then x else if SFltb x y then y else x.

Definition min32 (x y : spec_float) : spec_float :=
  if is_nan x then y else if is_nan y then x else if SFltb y x then y else x.

(** So the functions [greater] and [lesser] of our texts (certify/Elements.v) compute them. *)
Lemma max32_is x y : max32 x y = if is_nan x then y else if SFltb x y then y else x.
Proof. unfold max32. destruct x, y; reflexivity. Qed.

Lemma min32_is x y : min32 x y = if is_nan x then y else if SFltb y x then y else x.
Proof. unfold min32. destruct x, y; reflexivity. Qed.

(** ** Approximations of which compilers make lanes

    Operation by operation what the functions [exp_lanes], [tanh_lanes] and [erf_lanes] of our texts do (certify/Elements.v);
    tests compare them, and the functions with exact values for all numbers there are: they are off by less than 1, 1.4 and
    1.2 units in the last place. *)

Definition add32 : spec_float -> spec_float -> spec_float := SFadd prec32 emax32.
Definition sub32 : spec_float -> spec_float -> spec_float := SFsub prec32 emax32.
Definition mul32 : spec_float -> spec_float -> spec_float := SFmul prec32 emax32.
Definition div32 : spec_float -> spec_float -> spec_float := SFdiv prec32 emax32.
Definition number32 (m e : Z) : spec_float := round32 m e false.

(** The polynomial of these coefficients, the highest power's first. *)
Definition horner32 (x : spec_float) (first : spec_float) (more : list spec_float) : spec_float :=
  fold_left (fun y c => add32 (mul32 y x) c) more first.

(** Of a number that is whole. *)
Definition whole32 (x : spec_float) : Z :=
  match mantissa_exponent x with
  | Some (m, e) => if 0 <=? e then m * 2 ^ e else m / 2 ^ - e
  | None => 0
  end.

(** exp a = 2^n * exp r, with n whole and r at most half the logarithm of 2. *)
Definition exp_lanes32 (a : spec_float) : spec_float :=
  if is_nan a then S754_nan else
  let x := if SFltb a (number32 (-104) 0) then number32 (-104) 0
           else if SFltb (number32 89 0) a then number32 89 0 else a in
  let shift := number32 3 22 in
  let n := sub32 (add32 (mul32 x (number32 (12102203) (-23))) shift) shift in
  let r := sub32 (sub32 x (mul32 n (number32 (22713) (-15)))) (mul32 n (number32 (6283079) (-42))) in
  let p := horner32 r (number32 (11866537) (-33))
    [(number32 (4492955) (-29)); (number32 (5592637) (-27)); (number32 (1398089) (-23)); (number32 (8388607) (-24))] in
  let y := add32 (add32 (mul32 p (mul32 r r)) r) one32 in
  let m := whole32 n + 256 in
  mul32 (mul32 y (number32 1 (m / 2 - 128))) (number32 1 (m - m / 2 - 128)).

Definition signed_as (a y : spec_float) : spec_float := if is_negative a then SFopp (SFabs y) else SFabs y.

Definition tanh_lanes32 (a : spec_float) : spec_float :=
  let x := SFabs a in
  let s := mul32 a a in
  let p := horner32 s (number32 (-12251367) (-31))
    [(number32 (5540263) (-28)); (number32 (-14425645) (-28)); (number32 (8946579) (-26)); (number32 (-11184793) (-25))] in
  if SFltb x (number32 (5) (-3)) then add32 (mul32 (mul32 p s) a) a
  else signed_as a (sub32 one32 (div32 (number32 2 0) (add32 (exp_lanes32 (add32 x x)) one32))).

Definition erf_lanes32 (a : spec_float) : spec_float :=
  let x := SFabs a in
  let s := mul32 a a in
  let p := horner32 s (number32 (-2503) (-22))
    [(number32 (2679627) (-29)); (number32 (-14371033) (-29)); (number32 (7571217) (-26)); (number32 (-98599) (-18)); (number32 (2153845) (-24))] in
  let q := horner32 x (add32 (mul32 (add32 (mul32 (number32 (-145) (-23)) x) (number32 (13166553) (-35))) s)
                             (add32 (mul32 (number32 (-4170375) (-30)) x) (number32 (13021601) (-29))))
    [(number32 (-3582871) (-25)); (number32 (-665685) (-20)); (number32 (-4319043) (-25))] in
  if SFltb x (number32 (475) (-9)) then add32 (mul32 p a) a
  else signed_as a (sub32 one32 (exp_lanes32 (sub32 (mul32 q x) x))).

Section BINARY32.
  Context (libm : uop -> spec_float -> spec_float).
  Context (libm_pow : spec_float -> spec_float -> spec_float).

  Definition binary32 : scalars := {|
    num := spec_float;
    cst := fun c =>
      match c with
      | Dyadic m e => round32 m e false
      | Infinity s => S754_infinity s
      | Ordinal => S754_zero false
      end;
    op1 := fun o x =>
      match o with
      | Neg => SFopp x
      | Abs => SFabs x
      | Sqrt => SFsqrt prec32 emax32 x
      | Exp | Log | Tanh | Erf | Sin | Cos | Floor | Ceil | Round
      | Tan | Asin | Acos | Atan | Sinh | Cosh | Asinh | Acosh | Atanh => libm o x
      | ExpLanes => exp_lanes32 x
      | TanhLanes => tanh_lanes32 x
      | ErfLanes => erf_lanes32 x
      | Cast _ _ => x
      end;
    op2 := fun o x y =>
      match o with
      | Add => SFadd prec32 emax32 x y
      | Sub => SFsub prec32 emax32 x y
      | Mul => SFmul prec32 emax32 x y
      | Div => SFdiv prec32 emax32 x y
      | Max => max32 x y
      | Min => min32 x y
      | Pow => libm_pow x y
      | Less => truth32 (SFltb x y)
      | LessEq => truth32 (SFleb x y)
      | Equal => truth32 (SFeqb x y)
      end;
    op3 := fun o x y z =>
      match o with
      | Fma => fma32 x y z
      | Sel => if SFeqb x (S754_zero false) then z else y
      end |}.
End BINARY32.

(** 3 * 5 + 2 = 17, and (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46, which two roundings would lose. *)
Lemma fma32_examples :
  fma32 (round32 3 0 false) (round32 5 0 false) (round32 2 0 false) = round32 17 0 false /\
  let x := round32 8388609 (-23) false in
  let y := round32 (-4194305) (-22) false in
  fma32 x x y = round32 1 (-46) false /\
  SFadd prec32 emax32 (SFmul prec32 emax32 x x) y = S754_zero false.
Proof. repeat split; reflexivity. Qed.
