(** The real numbers as scalars.

    Only this file needs the axioms of the real numbers; no certificate does. Where a function
    is not defined (the logarithm of a negative number, infinity) the standard library's
    default stands; the error function is a parameter.

    [reals]   the scalars *)

From Coq Require Import Reals ZArith.
From Vouch Require Import array.Syntax array.Semantics.
Local Open Scope R_scope.

Definition truth (b : bool) : R := if b then 1 else 0.

Definition less (x y : R) : bool := if Rlt_dec x y then true else false.
Definition equal (x y : R) : bool := if Req_EM_T x y then true else false.

(** To nearest, ties to even. *)
Definition nearest_even (x : R) : Z :=
  let below := Int_part x in
  let rest := x - IZR below in
  if less rest (/ 2) then below
  else if less (/ 2) rest then (below + 1)%Z
  else if Z.even below then below else (below + 1)%Z.

Section REALS.
  Context (erf : R -> R).

  Definition reals : scalars := {|
    num := R;
    cst := fun c =>
      match c with
      | Dyadic m e => IZR m * powerRZ 2 e
      | Infinity _ | Ordinal => 0
      end;
    op1 := fun o x =>
      match o with
      | Neg => - x
      | Abs => Rabs x
      | Sqrt => sqrt x
      | Exp => Rtrigo_def.exp x
      | Log => ln x
      | Tanh => tanh x
      | Erf => erf x
      | Sin => sin x
      | Cos => cos x
      | Floor => IZR (Int_part x)
      | Ceil => - IZR (Int_part (- x))
      | Round => IZR (nearest_even x)
      | Tan => tan x
      | Asin => asin x
      | Acos => acos x
      | Atan => atan x
      | Sinh => sinh x
      | Cosh => cosh x
      | Asinh => arcsinh x
      | Acosh => ln (x + sqrt (x * x - 1))
      | Atanh => ln ((1 + x) / (1 - x)) / 2
      | ExpLanes => Rtrigo_def.exp x
      | TanhLanes => tanh x
      | ErfLanes => erf x
      | Cast _ _ => x
      end;
    op2 := fun o x y =>
      match o with
      | Add => x + y
      | Sub => x - y
      | Mul => x * y
      | Div => x / y
      | Max => Rmax x y
      | Min => Rmin x y
      | Pow => Rpower x y
      | Less => truth (less x y)
      | LessEq => truth (negb (less y x))
      | Equal => truth (equal x y)
      end;
    op3 := fun o x y z =>
      match o with
      | Fma => x * y + z
      | Sel => if equal x 0 then z else y
      end |}.
End REALS.
