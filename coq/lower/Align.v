(** When may a step of a reduction write its accumulator in place?

    While a term is written into an acceptor, its data variables may already stand for the
    acceptor's own root (the accumulator). A tag says how a variable's view may read that
    root:
    - [Cold]      not at all;
    - [Aligned]   the cell at path p reads only the acceptor's cell at path p;
    - [Row t]     row i of the view is [t] with respect to row i of the acceptor;
    - [Both t u]  the first half of the view is [t], the second [u], with respect to the
                  same acceptor;
    - [Any]       anything: after the next write the view may be stale.
    [aligned_write T e] accepts e if each cell can be written from that same cell only, so
    that one buffer is enough. [InPlaceProof] proves it right.

    [view_tag]       the tag of the view of a term
    [reads_fresh]    the view of a term reads nothing stale
    [is_scalar]      its form shows that a term is a scalar
    [aligned_write]  writing the term into an acceptor in place is right
    [in_place]       the step of a reduction may write its accumulator in place *)

From Coq Require Import List Bool.
From Vouch Require Import lib.Size array.Syntax.
Import ListNotations.

Inductive tag : Type := Cold | Aligned | Row (t : tag) | Both (t u : tag) | Any.

Definition is_cold (t : tag) : bool := match t with Cold => true | _ => false end.

(** No part is [Any]. *)
Fixpoint no_any (t : tag) : bool :=
  match t with
  | Cold | Aligned => true
  | Row t' => no_any t'
  | Both t' u => no_any t' && no_any u
  | Any => false
  end.

(** The tag with respect to a row, of a row. *)
Definition unrow (t : tag) : tag :=
  match t with
  | Cold => Cold
  | Aligned => Aligned
  | Row t' => t'
  | Both _ _ | Any => Any
  end.

(** What remains of a tag once other parts of the root are written: whatever was not cold
    may be stale. *)
Fixpoint lowered (t : tag) : tag :=
  match t with
  | Cold => Cold
  | Both t' u => Both (lowered t') (lowered u)
  | Aligned | Row _ | Any => Any
  end.

Definition cold_or_any (t : tag) : tag := match t with Cold => Cold | _ => Any end.

Definition tag_both (t u : tag) : tag := if is_cold t && is_cold u then Cold else Both t u.

Definition tag_either (t u : tag) : tag :=
  if is_cold t then u else if is_cold u then t else Any.

Definition tag_zip (t u : tag) : tag :=
  if is_cold t && is_cold u then Cold
  else if no_any (unrow t) && no_any (unrow u) then Row (tag_both (unrow t) (unrow u))
  else Any.

Definition tag_lay (l : lay) (t : tag) : tag :=
  match l, t with
  | _, Cold => Cold
  | LFst, Both t' _ => t'
  | LSnd, Both _ u => u
  | LZip, Both t' u => tag_zip t' u
  | _, _ => Any
  end.

(** Cell p comes from cell p only, wherever p is. *)
Fixpoint is_aligned (t : tag) : bool :=
  match t with
  | Cold | Aligned => true
  | Row t' => is_aligned t'
  | Both _ _ | Any => false
  end.

(** Tags beyond the end of a list are cold, so a cold one is not put on an empty list. *)
Definition cons_tag (t : tag) (T : list tag) : list tag :=
  match t, T with
  | Cold, [] => []
  | _, _ => t :: T
  end.

Fixpoint view_tag (T : list tag) (e : exp) : tag :=
  match e with
  | EVar x => nth x T Cold
  | ECst _ _ => Cold
  | EOp _ e1 | EPad _ _ _ _ e1 => cold_or_any (view_tag T e1)
  | EPair e1 e2 => tag_both (view_tag T e1) (view_tag T e2)
  | ELay l e1 => tag_lay l (view_tag T e1)
  | EIf _ e1 e2 => tag_either (view_tag T e1) (view_tag T e2)
  | EMap _ _ _ _ _ _ | ERed _ _ _ _ _ _ _ | EMem _ _ | ECat _ _ _ _ _ => Cold
  | ELet e1 e2 => view_tag (cons_tag (view_tag T e1) T) e2
  end.

(** A variable, or halves of it: then only the part that is read needs to be fresh. *)
Fixpoint is_part (e : exp) : bool :=
  match e with
  | EVar _ => true
  | ELay LFst e1 | ELay LSnd e1 => is_part e1
  | _ => false
  end.

Fixpoint reads_fresh (T : list tag) (e : exp) : bool :=
  (is_part e && no_any (view_tag T e)) ||
  match e with
  | EVar x => no_any (nth x T Cold)
  | ECst _ _ => true
  | EOp _ e1 | EPad _ _ _ _ e1 | EMem _ e1 | ELay _ e1 => reads_fresh T e1
  | EPair e1 e2 | EIf _ e1 e2 | ECat _ _ _ e1 e2 => reads_fresh T e1 && reads_fresh T e2
  | EMap _ _ _ _ f e1 => reads_fresh (cons_tag Cold T) f && reads_fresh T e1
  | ERed _ _ _ _ f i e1 =>
      reads_fresh (cons_tag Cold (cons_tag Cold T)) f && reads_fresh T i &&
      reads_fresh T e1
  | ELet e1 e2 => reads_fresh T e1 && reads_fresh (cons_tag Cold T) e2
  end.

(** Only a scalar is of this form: it has a single cell, which is read before it is written. *)
Fixpoint is_scalar (e : exp) : bool :=
  match e with
  | EOp _ _ => true
  | EIf _ e1 e2 => is_scalar e1 || is_scalar e2
  | _ => false
  end.

Fixpoint aligned_write (T : list tag) (e : exp) : bool :=
  match e with
  | ECst _ _ | EOp _ _ => reads_fresh T e
  | EPair e1 e2 | ECat _ _ _ e1 e2 =>
      aligned_write (map lowered T) e1 && aligned_write (map lowered T) e2
  | ELay l e1 =>
      if invertible l then aligned_write (map lowered T) e1
      else reads_fresh T e && is_aligned (view_tag T e)
  | EMap _ _ _ _ f e1 =>
      let t := unrow (view_tag T e1) in
      reads_fresh T e1 && no_any t && aligned_write (cons_tag t (map lowered T)) f
  | ERed w _ _ _ f i e1 =>
      if is_into w && aligned_write [Cold; Aligned] f
      then reads_fresh T e1 && is_cold (view_tag T e1) && aligned_write T i &&
           aligned_write (cons_tag Cold (cons_tag Aligned (map lowered T))) f
      else reads_fresh T e && is_aligned (view_tag T e)
  | ELet e1 e2 => reads_fresh T e1 && aligned_write (cons_tag (view_tag T e1) T) e2
  | EMem _ e1 => aligned_write T e1
  | EIf _ _ _ => reads_fresh T e && (is_scalar e || is_aligned (view_tag T e))
  | EVar _ | EPad _ _ _ _ _ =>
      reads_fresh T e && is_aligned (view_tag T e)
  end.

(** In the step of a reduction the element is variable 0, the accumulator variable 1. *)
Definition in_place (f : exp) : bool := aligned_write [Cold; Aligned] f.
