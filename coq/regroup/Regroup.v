(** Kernels that add the same terms in another order.

    [k] is a kernel, [g] another one with further locals: partial sums. Where those are put in place
    of what reads them, every statement of [k] must have its counterpart in [g], summand by summand:
    the points of a summand's loops are taken apart by conditions, and each part is mapped one to one
    onto the points of a summand of [g], where the same is added. Nothing is asked of addition but
    its laws, and no other law is used: each term is the same operations on the same elements.

    [unfolded]     a summand that reads a partial sum alone, as the partial sum's own summands
    [piece]        a part of a summand's points, and where in the loops of [g] it is, as index terms
    [taken_apart]  checks the pieces of one summand
    [grounds]      what is known of sizes: the kernel's facts, and what quotients and remainders are
    [regroups]     the check; sound by [regroups_sound] (RegroupProof.v)
    [Regrouping]   what it says *)

From Coq Require Import Arith ZArith List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics.
From Vouch Require Import index.Kernel index.Lower index.LowerProof.
From Vouch Require Import adjoint.Entail adjoint.Equal adjoint.Substitute adjoint.Decide adjoint.Tensors.
From Vouch Require Import regroup.Additive.
Import ListNotations.

(** The terms of [pc_to] are over the variables of k's summand, one for each loop of g's, the innermost
    first; those of [pc_from] the other way round. [pc_where]: which of the points that the pieces
    before have left; of the last piece all of them. [pc_here] and [pc_there] are conditions that follow
    one after the other at the points of either side, for what follows of them in turn. *)
Record piece : Type := {
  pc_where : icond;
  pc_to : list iterm;
  pc_from : list iterm;
  pc_here : list icond;
  pc_there : list icond
}.

(** The local of g that is each local of k, and the pieces of each of its summands; both from k's last
    local to its first. *)
Record witness : Type := {
  wi_places : list nat;
  wi_locals : list (list (list piece));
  wi_output : list (list piece)
}.

(** ** Partial sums in place *)

(** A summand over [rank] indices reads at [s] what [r] sums. *)
Definition unfolded_once (rank : nat) (u : summand) (s : list (iterm * size)) (r : summand) : summand :=
  let inner := length (su_loops r) in
  let outer := variables inner (rank + length (su_loops u)) in
  {| su_loops := su_loops u ++ su_loops r;
     su_cond :=
       CAnd (cond_at outer (CAnd (su_cond u) (in_tensor s)))
         (cond_at (variables 0 inner ++ map (fun p => term_at outer (fst p)) (rev s)) (su_cond r));
     su_body := body_at (variables 0 inner ++ map (fun p => term_at outer (fst p)) (rev s)) (su_body r) |}.

Section UNFOLD.
  (** What may be put in place, and its summands. *)
  Context (partial : nat -> bool) (summands_of : nat -> list summand).

  Fixpoint unfolded (fuel rank : nat) (u : summand) : list summand :=
    match fuel, su_body u with
    | S fuel, BRead t s =>
        if partial t
        then flat_map (fun r => unfolded fuel rank (unfolded_once rank u s r)) (summands_of t)
        else [u]
    | _, _ => [u]
    end.
End UNFOLD.

(** ** Pieces *)

Section PIECES.
  Context (facts : list fact) (extents : list size).

  Let rank := length extents.

  Definition follows : icond -> icond -> bool := entails_by_cases 1 facts.

  (** With conditions that follow. *)
  Fixpoint granted (p : icond) (l : list icond) : option icond :=
    match l with
    | [] => Some p
    | c :: more => if follows p c then granted (CAnd p c) more else None
    end.

  (** Of the loops, then the indices of the statement, which stay. *)
  Definition whole (m : list iterm) (loops : nat) : list iterm := m ++ variables loops rank.

  (** The points of u where [part] holds are those of v. *)
  Definition piece_ok (u : summand) (part : icond) (v : summand) (c : piece) : bool :=
    let here := length (su_loops u) in
    let there := length (su_loops v) in
    let to := whole (pc_to c) here in
    let from := whole (pc_from c) there in
    Nat.eqb (length (pc_to c)) there && Nat.eqb (length (pc_from c)) here &&
    match granted (CAnd (in_box (extents ++ su_loops u)) (CAnd (su_cond u) part)) (pc_here c),
          granted (CAnd (in_box (extents ++ su_loops v)) (su_cond v)) (pc_there c) with
    | Some p, Some q =>
        follows p (lands (extents ++ su_loops v) to) && follows p (cond_at to (su_cond v)) &&
        follows p (returns to from) &&
        follows q (lands (extents ++ su_loops u) from) && follows q (cond_at from (CAnd (su_cond u) part)) &&
        follows q (returns from to) &&
        same_body facts q (body_at from (su_body u)) (su_body v)
    | _, _ => false
    end.

  (** What is left of the points of u, over the summands l; and the summands that are left then. *)
  Fixpoint pieces_ok (u : summand) (rest : icond) (pieces : list piece) (l : list summand) :
      option (list summand) :=
    match pieces, l with
    | [c], v :: more => if piece_ok u rest v c then Some more else None
    | c :: others, v :: more =>
        if piece_ok u (CAnd rest (pc_where c)) v c
        then pieces_ok u (CAnd rest (CNot (pc_where c))) others more else None
    | _, _ => None
    end.

  Fixpoint taken_apart (us : list summand) (pieces : list (list piece)) (l : list summand) : bool :=
    match us, pieces with
    | [], [] => match l with [] => true | _ => false end
    | u :: more, p :: others =>
        match pieces_ok u CTrue p l with Some after => taken_apart more others after | None => false end
    | _, _ => false
    end.
End PIECES.

(** ** Reads of locals, with their own extents *)

Section READS.
  (** Nothing of inputs: they are the same tensors. *)
  Context (extents_of : nat -> option (list size)).

  Definition known (t : nat) (s : list size) : bool :=
    match extents_of t with Some e => same_sizes s e | None => true end.

  Fixpoint reads_known (b : ibody) : bool :=
    match b with
    | BCon _ | BIndex _ => true
    | BRead t s => known t (map snd s)
    | BGather x n t s r => reads_known x && known t (map snd s ++ n :: map snd r)
    | BOp1 _ a => reads_known a
    | BOp2 _ a c => reads_known a && reads_known c
    | BOp3 _ a c e => reads_known a && reads_known c && reads_known e
    | BIf _ a c => reads_known a && reads_known c
    end.
End READS.

(** ** What is known of sizes *)

Definition loops_of (s : statement) : list size := flat_map su_loops (st_summands s).

(** Partial sums have quotients and remainders of extents for their loops: how these lie is true of all sizes, and
    that none is negative, which their polynomials do not show. *)
Definition grounds (k g : ikernel) : list fact :=
  ik_facts k ++ flat_map (fun n => (SConst 0, n) :: part_facts (norm n)) (flat_map loops_of (ik_output g :: ik_locals g)).

Lemma grounds_hold sg k g : facts_hold sg (ik_facts k) -> facts_hold sg (grounds k g).
Proof.
  intros FACTS a b here. unfold grounds in here. apply in_app_iff in here as [here|here]; [now apply FACTS|].
  apply in_flat_map in here as (n & _ & [here|here]).
  - injection here as <- <-. apply Nat.le_0_l.
  - exact (part_facts_hold sg (norm n) a b here).
Qed.

(** ** The check *)

Section CHECK.
  Context (k g : ikernel) (w : witness).

  Definition own_locals : nat := length (ik_locals k).
  Definition all_locals : nat := length (ik_locals g).

  (** The tensor of g that is tensor t of k, both in the numbering of the output's statement. *)
  Definition counterpart (t : nat) : nat :=
    if t <? own_locals then nth t (wi_places w) 0 else all_locals + (t - own_locals).

  Definition partial (t : nat) : bool := (t <? all_locals) && negb (among t (wi_places w)).

  (** Of k, as a statement with [later] locals from it on reads them; of g. *)
  Definition own_summands (later : nat) (l : list summand) : list summand :=
    map (summand_rename (fun t => counterpart (later + t))) l.
  Definition local_summands (q : nat) : list summand :=
    map (summand_rename (fun t => S q + t)) (st_summands (local g q)).

  Definition flat (rank : nat) (l : list summand) : list summand :=
    flat_map (unfolded partial local_summands all_locals rank) l.

  Definition extents_in (later : nat) (t : nat) : option (list size) :=
    if later + t <? own_locals then Some (st_extents (local k (later + t))) else None.

  Definition statement_ok (later : nat) (s r : statement) (r_summands : list summand)
      (pieces : list (list piece)) : bool :=
    same_sizes (st_extents s) (st_extents r) &&
    forallb (fun u => reads_known (extents_in later) (su_body u)) (st_summands s) &&
    taken_apart (grounds k g) (st_extents s) (own_summands later (st_summands s)) pieces
      (flat (length (st_extents s)) r_summands).

  Definition local_ok (p : nat) : bool :=
    let q := nth p (wi_places w) 0 in
    (q <? all_locals) &&
    statement_ok (S p) (local k p) (local g q) (local_summands q) (nth p (wi_locals w) []).

  Definition regroups : bool :=
    Nat.eqb (length (wi_places w)) own_locals &&
    forallb local_ok (seq 0 own_locals) &&
    statement_ok 0 (ik_output k) (ik_output g) (st_summands (ik_output g)) (wi_output w).

  (** ** What is claimed *)

  Definition Regrouping : Prop :=
    forall sg, facts_hold sg (ik_facts k) ->
    forall K, additive K ->
    forall (xs : list (tensor K)) indices, below sg indices (st_extents (ik_output k)) ->
    ikernel_val sg K xs g indices = ikernel_val sg K xs k indices.
End CHECK.
