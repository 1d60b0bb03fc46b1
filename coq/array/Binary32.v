(** IEEE binary32 as scalars, without axioms.

    The numbers are those of the standard library's [SpecFloat]; rounding is to nearest, ties
    to even. Functions of the C mathematics library that IEEE 754 does not determine are
    parameters.

    [fma32]     x * y + z, rounded once
    [binary32]  the scalars *)

From Coq Require Import ZArith Bool.
From Coq.Floats Require Import SpecFloat.
From Vouch Require Import array.Syntax array.Semantics.
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
