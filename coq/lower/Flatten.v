(** From structured variables to flat ones: layouts, pairs and paths become index arithmetic.

    [spath]       paths with index terms in place of numbers
    [lay_spath] [acc_spath]   as [lay_path] and [acc_path], on them
    [offset]      where a path ends up: arrays row by row, halves of a pair one after the other
    [flat_view]   the scalar expression that a view is at a path
    [flatten]     commands
    The constructors [xadd] .. leave out what is neutral: adding 0, multiplying by 1. *)

From Coq Require Import NArith List.
From Vouch Require Import lib.Size array.Syntax imp.Syntax imp.Flat imp.Safety.
Import ListNotations.

Inductive sstep : Type := XIx (i : ixe) | XLft | XRgt.
Definition spath : Type := list sstep.

Definition is_const (s : size) (c : N) : bool :=
  match s with SConst d => N.eqb d c | _ => false end.

Definition size_mul (a b : size) : size :=
  if is_const a 1 then b else if is_const b 1 then a else
  match a, b with
  | SConst c, SConst d => SConst (c * d)
  | _, _ => SMul a b
  end.

Definition size_add (a b : size) : size :=
  if is_const a 0 then b else if is_const b 0 then a else
  match a, b with
  | SConst c, SConst d => SConst (c + d)
  | _, _ => SAdd a b
  end.

Definition is_xconst (e : ixe) (c : N) : bool :=
  match e with XSize s => is_const s c | _ => false end.

Definition xadd (a b : ixe) : ixe :=
  if is_xconst a 0 then b else if is_xconst b 0 then a else XAdd a b.

Definition xsub (a b : ixe) : ixe := if is_xconst b 0 then a else XSub a b.

Definition xmul (a b : ixe) : ixe :=
  if is_xconst a 0 then a else if is_xconst b 0 then b else
  if is_xconst a 1 then b else if is_xconst b 1 then a else XMul a b.

Definition xdiv (a b : ixe) : ixe := if is_xconst b 1 then a else XDiv a b.

Fixpoint lay_spath (l : lay) (p : spath) : spath :=
  match l, p with
  | LFst, _ => XLft :: p
  | LSnd, _ => XRgt :: p
  | LAt e, _ => XIx e :: p
  | LZip, XIx i :: s :: q => s :: XIx i :: q
  | LUnzip, s :: XIx i :: q => XIx i :: s :: q
  | LSplit n _, XIx i :: XIx j :: q => XIx (xadd (xmul i (XSize n)) j) :: q
  | LJoin n _, XIx i :: q => XIx (xdiv i (XSize n)) :: XIx (XMod i (XSize n)) :: q
  | LTrans, XIx i :: XIx j :: q => XIx j :: XIx i :: q
  | LRev n, XIx i :: q => XIx (XSub (XSize n) (XAdd i (XSize (SConst 1)))) :: q
  | LSlide _ _ s d, XIx i :: XIx j :: q =>
      XIx (xadd (xmul i (XSize s)) (xmul j (XSize d))) :: q
  | LSlice o _, XIx i :: q => XIx (xadd (XSize o) i) :: q
  | LRepeat _, XIx _ :: q => q
  | LMap l1, s :: q => s :: lay_spath l1 q
  | _, _ => p
  end.

Fixpoint lay_inverse_spath (l : lay) (q : spath) : spath :=
  match l, q with
  | LZip, s :: XIx i :: r => XIx i :: s :: r
  | LUnzip, XIx i :: s :: r => s :: XIx i :: r
  | LSplit n _, XIx i :: r => XIx (xdiv i (XSize n)) :: XIx (XMod i (XSize n)) :: r
  | LJoin n _, XIx i :: XIx j :: r => XIx (xadd (xmul i (XSize n)) j) :: r
  | LTrans, XIx i :: XIx j :: r => XIx j :: XIx i :: r
  | LRev n, XIx i :: r => XIx (XSub (XSize n) (XAdd i (XSize (SConst 1)))) :: r
  | LMap l1, s :: r => s :: lay_inverse_spath l1 r
  | _, _ => q
  end.

Definition step_spath (s : astep) (p : spath) : spath :=
  match s with
  | AtStep i => XIx i :: p
  | FstStep => XLft :: p
  | SndStep => XRgt :: p
  | OffStep n =>
      match p with
      | XIx i :: q => XIx (xadd (XSize n) i) :: q
      | _ => p
      end
  | LayStep l => lay_inverse_spath l p
  end.

Fixpoint acc_spath (a : acc) (p : spath) : spath :=
  match a with
  | AVar _ => p
  | AStep s a1 => acc_spath a1 (step_spath s p)
  end.

Fixpoint ty_size (d : ty) : size :=
  match d with
  | TNum => SConst 1
  | TAry n d1 => size_mul n (ty_size d1)
  | TPair d1 d2 => size_add (ty_size d1) (ty_size d2)
  end.

Fixpoint offset_term (d : ty) (p : spath) : ixe :=
  match d, p with
  | TAry _ d1, XIx i :: q => xadd (xmul i (XSize (ty_size d1))) (offset_term d1 q)
  | TPair d1 _, XLft :: q => offset_term d1 q
  | TPair d1 d2, XRgt :: q => xadd (XSize (ty_size d1)) (offset_term d2 q)
  | _, _ => XSize (SConst 0)
  end.

Definition offset (d : ty) (p : spath) : option ixe :=
  match d with
  | TNum => None
  | TAry _ _ | TPair _ _ => Some (offset_term d p)
  end.

Definition extent_of (d : ty) : option size :=
  match d with
  | TNum => None
  | TAry _ _ | TPair _ _ => Some (ty_size d)
  end.

(** lo <= i < lo + n *)
Definition pad_guard (lo n : size) (i : ixe) : guard :=
  if is_const lo 0 then GLess i (XSize n)
  else GAnd (GNot (GLess i (XSize lo))) (GLess i (XSize (size_add lo n))).

Fixpoint flat_view (g : ty_env) (x : view) (p : spath) : fexp :=
  match x with
  | IVar v => FRead v (offset (g v) p)
  | IAcc a => FRead (root a) (offset (g (root a)) (acc_spath a p))
  | ICst c => match c, p with Ordinal, XIx i :: _ => FIndex i | _, _ => FConst c end
  | IOp (Op1 o) x1 => FOp1 o (flat_view g x1 [])
  | IOp (Op2 o) x1 => FOp2 o (flat_view g x1 [XLft]) (flat_view g x1 [XRgt])
  | IOp (Op3 o) x1 =>
      FOp3 o (flat_view g x1 [XLft]) (flat_view g x1 [XRgt; XLft])
           (flat_view g x1 [XRgt; XRgt])
  | IPair x1 x2 =>
      match p with
      | XLft :: q => flat_view g x1 q
      | XRgt :: q => flat_view g x2 q
      | _ => FConst zero
      end
  | ILay l x1 => flat_view g x1 (lay_spath l p)
  | IPad lo n c x1 =>
      match p with
      | XIx i :: q =>
          FIf (pad_guard lo n i) (flat_view g x1 (XIx (xsub i (XSize lo)) :: q)) (FConst c)
      | _ => FConst c
      end
  | IIf c x1 x2 => FIf c (flat_view g x1 p) (flat_view g x2 p)
  end.

Fixpoint flatten (g : ty_env) (c : comm) : fcomm :=
  match c with
  | CSkip => FSkip
  | CSeq c1 c2 => FSeq (flatten g c1) (flatten g c2)
  | CAssign a x =>
      FAssign (root a) (offset (g (root a)) (acc_spath a [])) (flat_view g x [])
  | CNew v d c1 => FNew v (extent_of d) (flatten (set_ty g v d) c1)
  | CFor k i n c1 => FFor k i n (flatten g c1)
  end.
