(** The functional array language: meaning.

    A value is a function from paths to scalars; a path leads from a whole to one of its
    scalar cells. Nothing depends on the scalars: [scalars] is any type with any operations,
    so every theorem holds for real numbers and for IEEE binary32 alike.

    [scalars]      scalar type, constants and operations
    [step] [path]  into arrays and pairs
    [sty]          types with sizes evaluated; [ty_val] evaluates a [ty]
    [inb D p]      path p leads to a cell of type D
    [ixe_val] [guard_val] [lay_path]   meaning of index terms, guards and layouts
    [ixe_safe] [lay_safe]              no subtraction below zero, no division by zero there
    [const_at]     a constant, in the cell that a path leads to
    [eval]         meaning of terms *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax.
Import ListNotations.

Record scalars : Type := {
  num : Type;
  cst : const -> num;
  op1 : uop -> num -> num;
  op2 : bop -> num -> num -> num;
  op3 : top -> num -> num -> num -> num
}.

Inductive step : Type := Ix (i : nat) | Lft | Rgt.
Definition path : Type := list step.

(** A number that is a position. *)
Definition position (K : scalars) (i : nat) : num K := cst K (Dyadic (Z.of_nat i) 0).

Definition const_at (K : scalars) (c : const) (p : path) : num K :=
  match c, p with
  | Ordinal, Ix i :: _ => position K i
  | _, _ => cst K c
  end.

Definition step_eq_dec (s t : step) : {s = t} + {s <> t}.
Proof. decide equality. apply Nat.eq_dec. Defined.

Definition path_eq_dec : forall p q : path, {p = q} + {p <> q} := list_eq_dec step_eq_dec.

Inductive sty : Type :=
| SNum
| SAry (n : nat) (D : sty)
| SPair (D1 D2 : sty).

Fixpoint inb (D : sty) (p : path) : Prop :=
  match D, p with
  | SNum, [] => True
  | SAry n D1, Ix i :: q => i < n /\ inb D1 q
  | SPair D1 _, Lft :: q => inb D1 q
  | SPair _ D2, Rgt :: q => inb D2 q
  | _, _ => False
  end.

(** [iterate n f a] is f (n-1) (... (f 0 a)). *)
Fixpoint iterate {A : Type} (n : nat) (f : nat -> A -> A) (a : A) : A :=
  match n with
  | 0 => a
  | S m => f m (iterate m f a)
  end.

(** Where the arguments of an operation are found in its argument tuple. *)
Definition op_args (o : sop) : list path :=
  match o with
  | Op1 _ => [[]]
  | Op2 _ => [[Lft]; [Rgt]]
  | Op3 _ => [[Lft]; [Rgt; Lft]; [Rgt; Rgt]]
  end.

Definition op_type (o : sop) : sty :=
  match o with
  | Op1 _ => SNum
  | Op2 _ => SPair SNum SNum
  | Op3 _ => SPair SNum (SPair SNum SNum)
  end.

(** How the types of a layout on pairs are related, also where they have no cell. *)
Definition lay_shape (l : lay) (S D : sty) : Prop :=
  match l with
  | LFst => exists E, S = SPair D E
  | LSnd => exists E, S = SPair E D
  | LZip => exists n A B, S = SPair (SAry n A) (SAry n B) /\ D = SAry n (SPair A B)
  | _ => True
  end.

Section SIZES.
  Context (sg : nat -> nat).

  Fixpoint ty_val (d : ty) : sty :=
    match d with
    | TNum => SNum
    | TAry n d1 => SAry (size_val sg n) (ty_val d1)
    | TPair d1 d2 => SPair (ty_val d1) (ty_val d2)
    end.

  Section INDICES.
    (** The value of each index variable. *)
    Context (env : nat -> nat).

    Fixpoint ixe_val (e : ixe) : nat :=
      match e with
      | XVar i => env i
      | XSize s => size_val sg s
      | XAdd a b => ixe_val a + ixe_val b
      | XSub a b => ixe_val a - ixe_val b
      | XMul a b => ixe_val a * ixe_val b
      | XDiv a b => ixe_val a / ixe_val b
      | XMod a b => ixe_val a mod ixe_val b
      end.

    Fixpoint ixe_safe (e : ixe) : Prop :=
      match e with
      | XVar _ | XSize _ => True
      | XAdd a b | XMul a b => ixe_safe a /\ ixe_safe b
      | XSub a b => ixe_safe a /\ ixe_safe b /\ ixe_val b <= ixe_val a
      | XDiv a b | XMod a b => ixe_safe a /\ ixe_safe b /\ ixe_val b <> 0
      end.

    Fixpoint guard_val (g : guard) : bool :=
      match g with
      | GLess a b => ixe_val a <? ixe_val b
      | GEqual a b => ixe_val a =? ixe_val b
      | GAnd g1 g2 => guard_val g1 && guard_val g2
      | GOr g1 g2 => guard_val g1 || guard_val g2
      | GNot g1 => negb (guard_val g1)
      end.

    Fixpoint guard_safe (g : guard) : Prop :=
      match g with
      | GLess a b | GEqual a b => ixe_safe a /\ ixe_safe b
      | GAnd g1 g2 | GOr g1 g2 => guard_safe g1 /\ guard_safe g2
      | GNot g1 => guard_safe g1
      end.

    (** The cell at p of the result of l is the cell at [lay_path l p] of its argument. *)
    Fixpoint lay_path (l : lay) (p : path) : path :=
      match l, p with
      | LFst, _ => Lft :: p
      | LSnd, _ => Rgt :: p
      | LAt e, _ => Ix (ixe_val e) :: p
      | LZip, Ix i :: s :: q => s :: Ix i :: q
      | LUnzip, s :: Ix i :: q => Ix i :: s :: q
      | LSplit n _, Ix i :: Ix j :: q => Ix (i * size_val sg n + j) :: q
      | LJoin n _, Ix i :: q => Ix (i / size_val sg n) :: Ix (i mod size_val sg n) :: q
      | LTrans, Ix i :: Ix j :: q => Ix j :: Ix i :: q
      | LRev n, Ix i :: q => Ix (size_val sg n - (i + 1)) :: q
      | LSlide _ _ s d, Ix i :: Ix j :: q => Ix (i * size_val sg s + j * size_val sg d) :: q
      | LSlice o _, Ix i :: q => Ix (size_val sg o + i) :: q
      | LRepeat _, Ix _ :: q => q
      | LMap l1, s :: q => s :: lay_path l1 q
      | _, _ => p
      end.

    (** The index arithmetic of [lay_path l p] is safe. *)
    Fixpoint lay_safe (l : lay) (p : path) : Prop :=
      match l, p with
      | LAt e, _ => ixe_safe e
      | LJoin n _, _ => size_val sg n <> 0
      | LRev n, Ix i :: _ => i + 1 <= size_val sg n
      | LMap l1, _ :: q => lay_safe l1 q
      | _, _ => True
      end.

    (** Layout l takes type S to type D. *)
    Definition lay_ok (l : lay) (S D : sty) : Prop :=
      lay_shape l S D /\ forall p, inb D p -> inb S (lay_path l p) /\ lay_safe l p.
  End INDICES.

  (** The inverse of [lay_path], for invertible layouts: the cell at q of the argument is the
      cell at [lay_inverse l q] of the result. *)
  Fixpoint lay_inverse (l : lay) (q : path) : path :=
    match l, q with
    | LZip, s :: Ix i :: r => Ix i :: s :: r
    | LUnzip, Ix i :: s :: r => s :: Ix i :: r
    | LSplit n _, Ix i :: r => Ix (i / size_val sg n) :: Ix (i mod size_val sg n) :: r
    | LJoin n _, Ix i :: Ix j :: r => Ix (i * size_val sg n + j) :: r
    | LTrans, Ix i :: Ix j :: r => Ix j :: Ix i :: r
    | LRev n, Ix i :: r => Ix (size_val sg n - (i + 1)) :: r
    | LMap l1, s :: r => s :: lay_inverse l1 r
    | _, _ => q
    end.

  Fixpoint lay_inverse_safe (l : lay) (q : path) : Prop :=
    match l, q with
    | LSplit n _, _ => size_val sg n <> 0
    | LRev n, Ix i :: _ => i + 1 <= size_val sg n
    | LMap l1, _ :: r => lay_inverse_safe l1 r
    | _, _ => True
    end.

  (** The argument type of an invertible layout, from its result type. *)
  Fixpoint sty_source (l : lay) (D : sty) : sty :=
    match l, D with
    | LZip, SAry n (SPair A B) => SPair (SAry n A) (SAry n B)
    | LUnzip, SPair (SAry n A) (SAry _ B) => SAry n (SPair A B)
    | LSplit n m, SAry _ (SAry _ A) => SAry (size_val sg n * size_val sg m) A
    | LJoin n m, SAry _ A => SAry (size_val sg m) (SAry (size_val sg n) A)
    | LTrans, SAry n (SAry m A) => SAry m (SAry n A)
    | LMap l1, SAry n A => SAry n (sty_source l1 A)
    | _, _ => D
    end.

  (** [lay_inverse] is the inverse of [lay_path] between the cells of the two types. *)
  Definition lay_inverse_ok (l : lay) (S D : sty) : Prop :=
    sty_source l D = S /\
    (forall p, inb D p -> forall env, lay_inverse l (lay_path env l p) = p) /\
    (forall q, inb S q ->
       inb D (lay_inverse l q) /\ lay_inverse_safe l q /\
       forall env, lay_path env l (lay_inverse l q) = q).

  Section EVAL.
    Context (K : scalars).

    Definition value : Type := path -> num K.
    Definition zero_value : value := fun _ => cst K zero.

    (** An operation applied to the cells of its argument tuple. *)
    Definition apply_op (o : sop) (v : value) : num K :=
      match o with
      | Op1 u => op1 K u (v [])
      | Op2 b => op2 K b (v [Lft]) (v [Rgt])
      | Op3 t => op3 K t (v [Lft]) (v [Rgt; Lft]) (v [Rgt; Rgt])
      end.

    Definition index_env (iv : list nat) : nat -> nat := fun i => nth i iv 0.

    (** [iv]: the index variables; [vals]: the data variables. *)
    Fixpoint eval (iv : list nat) (vals : list value) (e : exp) : value :=
      match e with
      | EVar x => nth x vals zero_value
      | ECst _ c => const_at K c
      | EOp o e1 => fun _ => apply_op o (eval iv vals e1)
      | EPair e1 e2 => fun p =>
          match p with
          | Lft :: q => eval iv vals e1 q
          | Rgt :: q => eval iv vals e2 q
          | _ => cst K zero
          end
      | ELay l e1 => fun p => eval iv vals e1 (lay_path (index_env iv) l p)
      | EPad lo n _ c e1 => fun p =>
          match p with
          | Ix i :: q =>
              if (size_val sg lo <=? i) && (i <? size_val sg lo + size_val sg n)
              then eval iv vals e1 (Ix (i - size_val sg lo) :: q)
              else cst K c
          | _ => cst K c
          end
      | EIf g e1 e2 => fun p =>
          if guard_val (index_env iv) g then eval iv vals e1 p else eval iv vals e2 p
      | EMap _ _ _ _ f e1 => fun p =>
          match p with
          | Ix i :: q => eval (i :: iv) ((fun r => eval iv vals e1 (Ix i :: r)) :: vals) f q
          | _ => cst K zero
          end
      | ERed _ n _ _ f i e1 =>
          iterate (size_val sg n)
            (fun j a => eval (j :: iv) ((fun r => eval iv vals e1 (Ix j :: r)) :: a :: vals) f)
            (eval iv vals i)
      | ELet e1 e2 => eval iv (eval iv vals e1 :: vals) e2
      | EMem _ e1 => eval iv vals e1
      | ECat n _ _ e1 e2 => fun p =>
          match p with
          | Ix i :: q =>
              if i <? size_val sg n then eval iv vals e1 p
              else eval iv vals e2 (Ix (i - size_val sg n) :: q)
          | _ => cst K zero
          end
      end.
  End EVAL.
End SIZES.

Lemma part_index_val sg env p v : ixe_val sg env (part_index p v) = size_val sg (SPart p v).
Proof.
  destruct p as [d|d|d c|d]; cbn [part_index ixe_val size_val part_val]; rewrite ?N2Nat.inj_pred, ?positive_N_nat;
    try reflexivity.
  rewrite Nat.sub_1_r. reflexivity.
Qed.

Lemma part_index_safe sg env p v : ixe_safe sg env (part_index p v).
Proof.
  destruct p as [d|d|d c|d]; cbn [part_index ixe_safe ixe_val size_val]; rewrite ?positive_N_nat;
    pose proof (Pos2Nat.is_pos d); repeat split; lia.
Qed.
