(** The table of slopes: the derivative of each operation by each argument, as data.

    [slope]        over the operation's arguments and its result
    [slope1] [slope2] [slope3]   the table that is declared: what a gradient means
    [slope_body]   a slope as a body *)

From Coq Require Import Arith ZArith List Bool.
From Vouch Require Import array.Syntax array.Semantics index.Kernel.
Import ListNotations.

Inductive slope : Type :=
| DArg (k : nat)
| DResult
| DCon (c : const)
| DOp1 (o : uop) (a : slope)
| DOp2 (o : bop) (a b : slope)
| DOp3 (o : top) (a b c : slope).

Definition two : const := Dyadic 2 0.
Definition D0 : slope := DCon zero.
Definition D1 : slope := DCon one.

(** The derivative by the argument. At 0 that of Abs is 0; that of the error function is written with
    pi = 4 atan 1. Nothing is said of the inverses of other functions, nor of approximations. *)
Definition slope1 (o : uop) : option slope :=
  match o with
  | Neg => Some (DOp1 Neg D1)
  | Abs =>
      Some (DOp3 Sel (DOp2 Less D0 (DArg 0)) D1
        (DOp3 Sel (DOp2 Less (DArg 0) D0) (DCon (Dyadic (-1) 0)) D0))
  | Sqrt => Some (DOp2 Div D1 (DOp2 Mul (DCon two) DResult))
  | Exp => Some DResult
  | Log => Some (DOp2 Div D1 (DArg 0))
  | Tanh => Some (DOp2 Sub D1 (DOp2 Mul DResult DResult))
  | Erf => Some (DOp2 Div (DOp1 Exp (DOp1 Neg (DOp2 Mul (DArg 0) (DArg 0)))) (DOp1 Sqrt (DOp1 Atan D1)))
  | Sin => Some (DOp1 Cos (DArg 0))
  | Cos => Some (DOp1 Neg (DOp1 Sin (DArg 0)))
  | Floor | Ceil | Round => Some D0
  | Tan => Some (DOp2 Add D1 (DOp2 Mul DResult DResult))
  | Atan => Some (DOp2 Div D1 (DOp2 Add D1 (DOp2 Mul (DArg 0) (DArg 0))))
  | Sinh => Some (DOp1 Cosh (DArg 0))
  | Cosh => Some (DOp1 Sinh (DArg 0))
  | Asin | Acos | Asinh | Acosh | Atanh | ExpLanes | TanhLanes | ErfLanes | Cast _ _ => None
  end.

(** By both arguments. At ties Max and Min take the left one. *)
Definition slope2 (o : bop) : slope * slope :=
  let x := DArg 0 in let y := DArg 1 in
  match o with
  | Add => (D1, D1)
  | Sub => (D1, DOp1 Neg D1)
  | Mul => (y, x)
  | Div => (DOp2 Div D1 y, DOp1 Neg (DOp2 Div x (DOp2 Mul y y)))
  | Max => (DOp3 Sel (DOp2 LessEq y x) D1 D0, DOp3 Sel (DOp2 Less x y) D1 D0)
  | Min => (DOp3 Sel (DOp2 LessEq x y) D1 D0, DOp3 Sel (DOp2 Less y x) D1 D0)
  | Pow => (DOp2 Mul y (DOp2 Pow x (DOp2 Sub y D1)), DOp2 Mul DResult (DOp1 Log x))
  | Less | LessEq | Equal => (D0, D0)
  end.

Definition slope3 (o : top) : slope * slope * slope :=
  match o with
  | Fma => (DArg 1, DArg 0, D1)
  | Sel => (D0, DOp3 Sel (DArg 0) D1 D0, DOp3 Sel (DArg 0) D0 D1)
  end.

Fixpoint slope_body (args : list ibody) (result : ibody) (s : slope) : ibody :=
  match s with
  | DArg k => nth k args (BCon zero)
  | DResult => result
  | DCon c => BCon c
  | DOp1 o a => BOp1 o (slope_body args result a)
  | DOp2 o a b => BOp2 o (slope_body args result a) (slope_body args result b)
  | DOp3 o a b c => BOp3 o (slope_body args result a) (slope_body args result b) (slope_body args result c)
  end.
