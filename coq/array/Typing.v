(** The functional array language: typing.

    [in_bounds iv X]   each index variable is below its bound
    [has_ty X G e D]   under index bounds X and data types G, e has type D

    Types are compared with their sizes evaluated, and a layout is well typed if it sends
    cells to cells: the checker [Check.infer] decides what is a property of all sizes here. *)

From Coq Require Import List.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
Import ListNotations.

Definition in_bounds (iv X : list nat) : Prop := Forall2 lt iv X.

Section TYPING.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).

  Inductive has_ty : list nat -> list sty -> exp -> sty -> Prop :=
  | TyVar X G x D :
      nth_error G x = Some D -> has_ty X G (EVar x) D
  | TyCst X G d c :
      has_ty X G (ECst d c) (ty_val d)
  | TyOp X G o e :
      has_ty X G e (op_type o) -> has_ty X G (EOp o e) SNum
  | TyPair X G e1 e2 D1 D2 :
      has_ty X G e1 D1 -> has_ty X G e2 D2 -> has_ty X G (EPair e1 e2) (SPair D1 D2)
  | TyLay X G l e S D :
      (forall iv, in_bounds iv X -> lay_ok sg (index_env iv) l S D) ->
      (invertible l = true -> lay_inverse_ok sg l S D) ->
      has_ty X G e S -> has_ty X G (ELay l e) D
  | TyPad X G lo n hi c e A :
      has_ty X G e (SAry (size_val n) A) ->
      has_ty X G (EPad lo n hi c e) (SAry (size_val lo + size_val n + size_val hi) A)
  | TyIf X G g e1 e2 D :
      (forall iv, in_bounds iv X -> guard_safe sg (index_env iv) g) ->
      has_ty X G e1 D -> has_ty X G e2 D -> has_ty X G (EIf g e1 e2) D
  | TyMap X G k n d1 d2 f e :
      has_ty (size_val n :: X) (ty_val d1 :: G) f (ty_val d2) ->
      has_ty X G e (SAry (size_val n) (ty_val d1)) ->
      has_ty X G (EMap k n d1 d2 f e) (SAry (size_val n) (ty_val d2))
  | TyRed X G w n d1 d2 f i e :
      has_ty (size_val n :: X) (ty_val d1 :: ty_val d2 :: G) f (ty_val d2) ->
      has_ty X G i (ty_val d2) ->
      has_ty X G e (SAry (size_val n) (ty_val d1)) ->
      has_ty X G (ERed w n d1 d2 f i e) (ty_val d2)
  | TyLet X G e1 e2 D1 D2 :
      has_ty X G e1 D1 -> has_ty X (D1 :: G) e2 D2 -> has_ty X G (ELet e1 e2) D2
  | TyMem X G d e :
      has_ty X G e (ty_val d) -> has_ty X G (EMem d e) (ty_val d)
  | TyCat X G n m d e1 e2 :
      has_ty X G e1 (SAry (size_val n) (ty_val d)) ->
      has_ty X G e2 (SAry (size_val m) (ty_val d)) ->
      has_ty X G (ECat n m d e1 e2) (SAry (size_val n + size_val m) (ty_val d)).
End TYPING.
