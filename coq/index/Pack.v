(** Inputs copied in another arrangement, before the kernel begins.

    What lanes read should lie side by side, and without bounds to look at. [pack] adds a local
    tensor that holds an input with its axes in another order, some split into blocks, some with
    zeros around, and reads that instead; the kernel computes the same. Mirrored by
    src/certify/index_pack.cpp.

    [axis]        an axis of the copy: all positions of an axis of the input, perhaps with others
                  around; which block of w positions; or where in that block
    [arranged]    the subscripts of a read, for the copy
    [copied]      the local tensor
    [pack]        the kernel that reads it
    [pack_fits]   every axis can be found again, and all reads of the input have its extents *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax index.Kernel index.Lower.
Import ListNotations.

Inductive axis : Type :=
| Whole (low high : N)
| Block (w : positive)
| Lane (w : positive).

Definition axis_eq_dec (a b : axis) : {a = b} + {a <> b}.
Proof. decide equality; first [apply N.eq_dec | apply Pos.eq_dec]. Defined.

Definition axis_size (a : axis) (n : size) : size :=
  match a, n with
  | Whole low high, _ => plus_size n (SConst (low + high))
  | Block w, SConst c => SConst ((c + Npos w - 1) / Npos w)
  | Block w, SVar v => SAdd (SPart (Quot w) v) (SConst 1)
  | Block _, _ => n
  | Lane w, _ => SConst (Npos w)
  end.

Definition axis_term (a : axis) (t : iterm) : iterm :=
  match a with
  | Whole low _ => match low with 0%N => t | _ => IAdd t (ICon (Z.of_N low)) end
  | Block w => IDiv t w
  | Lane w => IMod t w
  end.

(** Axis j of the copy comes from axis [fst (nth j form)] of the input. *)
Definition arrangement : Type := list (nat * axis).

Definition arranged (form : arrangement) (s : list (iterm * size)) : list (iterm * size) :=
  map (fun f => let p := nth (fst f) s (ICon 0, SConst 0) in
                (axis_term (snd f) (fst p), axis_size (snd f) (snd p))) form.

Definition same_axis (f g : nat * axis) : bool :=
  (fst f =? fst g) && if axis_eq_dec (snd f) (snd g) then true else false.

(** Where it is in the form; its length, if nowhere. *)
Fixpoint place_in (f : nat * axis) (form : arrangement) : nat :=
  match form with
  | [] => 0
  | g :: more => if same_axis f g then 0 else S (place_in f more)
  end.

(** From the subscripts of the copy, that of axis a of the input. *)
Definition axis_back (form : arrangement) (a : nat) : iterm :=
  let at_place f := IVar (length form - S (place_in f form)) in
  match find (fun g => fst g =? a) form with
  | Some (_, Whole low high) =>
      let t := at_place (a, Whole low high) in
      match low with 0%N => t | _ => IAdd t (ICon (- Z.of_N low)) end
  | Some (_, Block w) | Some (_, Lane w) =>
      IAdd (IScale (Zpos w) (at_place (a, Block w))) (at_place (a, Lane w))
  | None => ICon 0
  end.

Definition found (form : arrangement) (f : nat * axis) : bool := place_in f form <? length form.

Definition axis_found (form : arrangement) (a : nat) : bool :=
  match find (fun g => fst g =? a) form with
  | Some (_, Whole low high) => found form (a, Whole low high)
  | Some (_, Block w) | Some (_, Lane w) => found form (a, Block w) && found form (a, Lane w)
  | None => false
  end.

Section PACK.
  (** Input t, its extents, the form of its copy. *)
  Context (t : nat) (extents : list size) (form : arrangement).

  Definition copied : statement :=
    {| st_extents := map (fun f => axis_size (snd f) (nth (fst f) extents (SConst 0))) form;
       st_summands :=
         [{| su_loops := []; su_cond := CTrue;
             su_body := BRead t (map (fun a => (axis_back form a, nth a extents (SConst 0)))
                                     (seq 0 (length extents))) |}] |}.

  (** After m other locals. *)
  Fixpoint pack_body (m : nat) (b : ibody) : ibody :=
    match b with
    | BCon c => BCon c
    | BIndex i => BIndex i
    | BRead u s =>
        if u =? m + t then BRead m (arranged form s)
        else BRead (if u <? m then u else S u) s
    | BGather x n u s r => BGather (pack_body m x) n (if u <? m then u else S u) s r
    | BOp1 o a => BOp1 o (pack_body m a)
    | BOp2 o a c => BOp2 o (pack_body m a) (pack_body m c)
    | BOp3 o a c e => BOp3 o (pack_body m a) (pack_body m c) (pack_body m e)
    | BIf g a c => BIf g (pack_body m a) (pack_body m c)
    end.

  Definition pack_summand (m : nat) (s : summand) : summand :=
    {| su_loops := su_loops s; su_cond := su_cond s; su_body := pack_body m (su_body s) |}.

  Definition pack_statement (m : nat) (s : statement) : statement :=
    {| st_extents := st_extents s; st_summands := map (pack_summand m) (st_summands s) |}.

  Fixpoint pack_locals (m : nat) (l : list statement) : list statement :=
    match l with
    | [] => []
    | s :: more => pack_statement m s :: pack_locals (S m) more
    end.

  Definition pack (k : ikernel) : ikernel := {|
    ik_facts := ik_facts k;
    ik_inputs := ik_inputs k;
    ik_locals := copied :: pack_locals 0 (ik_locals k);
    ik_output := pack_statement (length (ik_locals k)) (ik_output k) |}.

  Definition form_ok : bool :=
    forallb (fun f => fst f <? length extents) form &&
    forallb (axis_found form) (seq 0 (length extents)).

  Fixpoint body_fits (m : nat) (b : ibody) : bool :=
    match b with
    | BCon _ | BIndex _ => true
    | BRead u s => if u =? m + t then same_extents (map snd s) extents else true
    | BGather x _ u _ _ => negb (u =? m + t) && body_fits m x
    | BOp1 _ a => body_fits m a
    | BOp2 _ a c => body_fits m a && body_fits m c
    | BOp3 _ a c e => body_fits m a && body_fits m c && body_fits m e
    | BIf _ a c => body_fits m a && body_fits m c
    end.

  Definition statement_fits (m : nat) (s : statement) : bool :=
    forallb (fun r => body_fits m (su_body r)) (st_summands s).

  Fixpoint locals_fit (m : nat) (l : list statement) : bool :=
    match l with
    | [] => true
    | s :: more => statement_fits m s && locals_fit (S m) more
    end.

  Definition pack_fits (k : ikernel) : bool :=
    form_ok && locals_fit 0 (ik_locals k) &&
    statement_fits (length (ik_locals k)) (ik_output k).
End PACK.

(** Several inputs, one after the other. *)
Definition packing : Type := list (nat * list size * arrangement).

Fixpoint packed (l : packing) (k : ikernel) : ikernel :=
  match l with
  | [] => k
  | (t, extents, form) :: more => packed more (pack t extents form k)
  end.

Fixpoint packing_fits (l : packing) (k : ikernel) : bool :=
  match l with
  | [] => true
  | (t, extents, form) :: more =>
      pack_fits t extents form k && packing_fits more (pack t extents form k)
  end.
