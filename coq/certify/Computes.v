(** The printed statements of certificates, proven by computation.

    [reads]        what a certified text leaves in a cell of the output, as a statement
    [computes_by]  the tactic of the printed statements *)

From Coq Require Import Arith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck.
From Vouch Require Import imp.Flat lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Certificate certify.Remainders.
From Vouch Require Export certify.Reading certify.Statement certify.States.
From Vouch Require Import certify.StatesSpec certify.StatesProof.
Import ListNotations.

Fixpoint assumed (sg : nat -> nat) (facts : list fact) : Prop :=
  match facts with
  | [] => True
  | (a, b) :: rest => size_val sg a <= size_val sg b /\ assumed sg rest
  end.

Lemma assumed_hold sg facts : assumed sg facts -> facts_hold sg facts.
Proof.
  induction facts as [|[a b] facts IHfacts]; intros all c d there; [contradiction|].
  destruct all as [here all]. destruct there as [same|there].
  - injection same as c_is d_is. rewrite <- c_is, <- d_is. exact here.
  - exact (IHfacts all c d there).
Qed.

(** Nothing is bound but the indices of the cell. *)
Definition cell_world (K : scalars) (indices : list nat) : world K := {|
  w_index := fun l => nth l indices 0;
  w_scalar := fun _ => cst K zero;
  w_value := fun _ _ => cst K zero |}.

Lemma bound_path_val sg K indices w : agrees (List.length indices) (cell_world K indices) w ->
  path_val sg (w_index w) (bound_path 0 (List.length indices)) = map Ix indices.
Proof.
  intros agree. apply (fixed_bound sg K 0 (cell_world K indices) indices). intros l l_lt.
  destruct (agree l l_lt) as (index & scalar & value_is). rewrite index. simpl.
  rewrite Nat.sub_0_r. auto.
Qed.

(** What is stated of a path that the cell's indices decide. *)
Lemma stated_at k sg K before indices p ps r :
  (forall w, agrees (List.length indices) (cell_world K indices) w -> path_val sg (w_index w) p = ps) ->
  states [] [] (inputs k) (kernel_term k) (List.length indices) p r = true ->
  kernel_value sg K k before ps = statement_val sg K before (List.length indices) (cell_world K indices) r.
Proof.
  intros PATH ok.
  refine (states_sound sg K before (kernel_term k) [] [] [] (inputs k) _ _ (cell_world K indices)
            _ _ r _ _ _ PATH ok).
  - intros w1 _ e none. destruct none.
  - intros w1 _. reflexivity.
  - unfold inputs, input_values. generalize (seq 0 (List.length (kernel_inputs k))).
    intros vs. induction vs as [|v vs IHvs]; constructor; [|exact IHvs].
    apply is_input_sound.
Qed.

Section CELL.
  Context (k : source) (sg : nat -> nat) (K : scalars) (before : mem K).
  Context (indices : list nat) (address : ixe) (r : statement).
  Context (CHECKED : kernel_states k (List.length indices) address r = true).

  (** The address is that of the cell. *)
  Lemma address_place :
    ixe_val sg (fun l => nth l indices 0) address =
    place_of (ty_val sg (kernel_output k)) (map Ix indices).
  Proof using CHECKED K.
    apply andb_true_iff in CHECKED as [same _]. set (w := cell_world K indices).
    rewrite <- (bound_path_val sg K indices w (agrees_refl K _ w)), <- (offset_term_place sg K).
    symmetry. exact (index_states_sound sg (w_index w) [] (fun e none => match none with end) _ _ same).
  Qed.

  Lemma stated :
    kernel_value sg K k before (map Ix indices) =
    statement_val sg K before (List.length indices) (cell_world K indices) r.
  Proof using CHECKED.
    apply andb_true_iff in CHECKED as [_ ok].
    exact (stated_at k sg K before indices _ _ r (bound_path_val sg K indices) ok).
  Qed.
End CELL.

(** What a text that [runs] leaves in a cell of the output. *)
Theorem reads k text sizes (K : scalars) (before after : mem K) indices address r :
  Certified k text -> kernel_states k (List.length indices) address r = true ->
  runs text sizes before after ->
  assumed (sizes_of sizes) (kernel_facts k) ->
  inb (ty_val (sizes_of sizes) (kernel_output k)) (map Ix indices) ->
  after (List.length (kernel_inputs k))
    (ixe_val (sizes_of sizes) (fun l => nth l indices 0) address) =
  statement_val (sizes_of sizes) K before (List.length indices) (cell_world K indices) r.
Proof.
  intros CERTIFIED checked RUNS FACTS p_in.
  rewrite (address_place k (sizes_of sizes) K indices address r checked).
  rewrite <- (stated k (sizes_of sizes) K before indices address r checked).
  exact (runs_value k text sizes K before after _ CERTIFIED RUNS (assumed_hold _ _ FACTS) p_in).
Qed.

(** That the program [k] states [r] of the cell at [indices], as a lemma of its own: so it is
    computed once, and fails where it is not so. *)
Ltac stated_by_computation STATED k indices cell r :=
  let n := eval compute in (List.length indices) in
  assert (STATED : kernel_states k n cell r = true)
    by (clear; abstract (vm_cast_no_check (eq_refl true))).

(** From [RUNS : runs text sizes before after], what is in the cell of the output at [indices]:
    by computation where the statement [r] at address [cell] is of the same build as the term,
    elsewhere step by step. [facts] and [bounds] prove what is assumed of sizes and indices. *)
Ltac computes_by k certified RUNS indices cell r facts bounds :=
  let STATED := fresh "STATED" in
  tryif stated_by_computation STATED k indices cell r
  then exact_no_check (reads k _ _ _ _ _ indices cell r certified STATED RUNS facts bounds)
  else
    let p := eval cbv beta iota delta [map] in (map Ix indices) in
    computes k certified p.
