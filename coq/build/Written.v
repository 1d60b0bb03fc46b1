(** What a library computes, where its kernels add in another order, fuse products or approximate functions: over numbers
    that have the laws which make each of these kernels the one that was written, as the real numbers have (Main.v), the results
    are those of the graph as it was written.

    [exact_numbers]    the laws
    [stands_for]       what a node computes are the elements of a kernel, from any tensors
    [stands_as_it_is] [stands_in_order] [stands_in_lanes]   which it does
    [graph_written]    nodes that stand for kernels compute the graph of these kernels
    [written_means]    so that is what calls leave in the results *)

From Coq Require Import Arith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Fuse index.Unfused index.Lanes.
From Vouch Require Import regroup.Additive regroup.Regroup regroup.RegroupProof.
From Vouch Require Import build.Cells build.Nodes build.Calls build.CallsProof.
Import ListNotations.

Record exact_numbers (K : scalars) : Prop := {
  exact_sums : additive K;
  exact_products : unfused K;
  exact_functions : exact_lanes K
}.

(** ** One kernel *)

Definition stands_for (K : scalars) (n : node) (w : ikernel) : Prop :=
  shape_of w = shape_of (nd_kernel n) /\
  forall sh, shape_of w = Some sh -> forall (ts : list (tensor K)) indices, within (sh_output sh) indices ->
  node_val K ts n indices = ikernel_val no_sizes K ts w indices.

Section STANDS.
  Context (K : scalars) (LAWS : exact_numbers K).

  Theorem stands_as_it_is n : stands_for K n (nd_kernel n).
  Proof using LAWS.
    split; [reflexivity|]. intros sh _ ts indices _. unfold node_val. destruct (nd_fused n); [|reflexivity].
    now apply (unfused_ikernel no_sizes K (exact_products K LAWS)).
  Qed.

  (** [pieces] show that sums have the same terms. *)
  Theorem stands_in_order n w pieces : regroups w (nd_kernel n) pieces = true ->
    shape_of w = shape_of (nd_kernel n) -> stands_for K n w.
  Proof using LAWS.
    intros checked same. split; [exact same|]. intros sh shaped ts indices inside.
    destruct (stands_as_it_is n) as [_ plain]. rewrite same in shaped. rewrite (plain sh shaped ts indices inside).
    rewrite <- same in shaped. destruct (shape_of_sound _ _ shaped) as (facts & _ & _ & extents & _).
    apply (regroups_sound w (nd_kernel n) pieces checked); [| exact (exact_sums K LAWS) |].
    - rewrite facts. intros a b none. destruct none.
    - unfold below. rewrite extents, numbered_val. exact inside.
  Qed.

  Theorem stands_in_lanes n w : stands_for K n (kernel_in_lanes w) ->
    shape_of w = shape_of (kernel_in_lanes w) -> stands_for K n w.
  Proof using LAWS.
    intros [shape plain] same. split; [congruence|]. intros sh shaped ts indices inside.
    rewrite same in shaped. rewrite (plain sh shaped ts indices inside).
    apply kernel_exact, (exact_functions K LAWS).
  Qed.
End STANDS.

(** ** The graph *)

(** A kernel as a node whose products are rounded. *)
Definition as_written (w : ikernel) : node := {| nd_kernel := w; nd_fused := false |}.

(** Values agree in the cells that the plan speaks of. *)
Definition agree {K : scalars} (live : list region) (vals vals1 : list (nat -> num K)) : Prop :=
  List.length vals = List.length vals1 /\
  forall r, In r live -> N.to_nat (re_value r) < List.length vals /\
    forall a, a < N.to_nat (re_cells r) ->
    value_of vals (N.to_nat (re_value r)) a = value_of vals1 (N.to_nat (re_value r)) a.

Lemma lies_agree K live (vals vals1 : list (nat -> num K)) v p n : agree live vals vals1 -> lies live v p n = true ->
  forall a, a < N.to_nat n -> value_of vals (N.to_nat v) a = value_of vals1 (N.to_nat v) a.
Proof.
  intros [_ SAME] found. unfold lies in found. apply existsb_exists in found as (r & r_in & same).
  apply andb_true_iff in same as [same cells_n]. apply andb_true_iff in same as [value_v _].
  apply N.eqb_eq in value_v. apply N.eqb_eq in cells_n. subst v n. exact (proj2 (SAME r r_in)).
Qed.

Lemma pieces_agree K live (vals vals1 : list (nat -> num K)) : agree live vals vals1 ->
  forall pieces p n, pieces_lie live pieces p n = true ->
  forall a, a < N.to_nat n -> joined vals pieces a = joined vals1 pieces a.
Proof.
  intros SAME pieces. induction pieces as [|[v m] pieces IHpieces]; intros p n found a a_lt; [reflexivity|].
  cbn [pieces_lie] in found. apply andb_true_iff in found as [found rest]. apply andb_true_iff in found as [m_le here].
  apply N.leb_le in m_le. cbn [joined]. destruct (Nat.ltb a (N.to_nat m)) eqn:a_here.
  - apply Nat.ltb_lt in a_here. exact (lies_agree K live vals vals1 v p m SAME here a a_here).
  - apply Nat.ltb_ge in a_here. apply (IHpieces _ _ rest). lia.
Qed.

Lemma args_agree K buffers live (vals vals1 : list (nat -> num K)) result n : agree live vals vals1 ->
  forall values places shapes, args_ok buffers live result n values places shapes = true ->
  List.length values = List.length shapes /\
  alike shapes (tensors_at shapes (map (joined vals) values)) (tensors_at shapes (map (joined vals1) values)).
Proof.
  intros SAME values. induction values as [|pieces values IHvalues]; intros [|p places] [|X shapes] fits; try discriminate fits.
  - split; [reflexivity|]. split; [reflexivity|]. intros [|t] X indices at_t; discriminate at_t.
  - cbn [args_ok] in fits. apply andb_true_iff in fits as [fits rest].
    apply andb_true_iff in fits as [fits _]. apply andb_true_iff in fits as [here _].
    destruct (IHvalues places shapes rest) as (many & lengths & reads).
    split; [cbn; congruence|]. split; [cbn; f_equal; exact lengths|].
    intros [|t] Y indices at_t inside; cbn in at_t.
    + injection at_t as at_t. subst Y.
      exact (pieces_agree K live vals vals1 SAME pieces p _ here _ (flat_below X indices inside)).
    + exact (reads t Y indices at_t inside).
Qed.

Lemma call_agrees K buffers live live1 (vals vals1 : list (nat -> num K)) nodes written c n w :
  agree live vals vals1 -> nth_error nodes (ca_kernel c) = Some n -> nth_error written (ca_kernel c) = Some w ->
  stands_for K n w ->
  call_live buffers (map shape_of (map nd_kernel nodes)) live (N.of_nat (List.length vals)) c = Some live1 ->
  agree live1 (vals ++ [node_cells K n (map (joined vals) (ca_values c))])
    (vals1 ++ [node_cells K (as_written w) (map (joined vals1) (ca_values c))]).
Proof.
  intros SAME at_n at_w [shape STANDS] checked. unfold call_live in checked.
  rewrite map_map, nth_error_map, at_n in checked. cbn in checked.
  destruct (shape_of (nd_kernel n)) as [sh|] eqn:shaped; [|discriminate checked].
  destruct (args_ok buffers live (ca_result c) (count (sh_output sh)) (ca_values c) (ca_places c)
              (sh_inputs sh)) eqn:fits; [|discriminate checked].
  destruct (writable buffers (ca_result c) (count (sh_output sh))); [|discriminate checked].
  injection checked as checked. subst live1. pose proof SAME as [many EACH].
  split; [rewrite !app_length; cbn; congruence|].
  intros r [is_result|r_in]; (split; [rewrite app_length; cbn|]).
  - subst r. cbn. rewrite Nat2N.id. lia.
  - subst r. cbn. intros a a_lt. rewrite Nat2N.id, value_of_last, many, value_of_last.
    unfold node_cells. cbn [as_written nd_kernel]. rewrite shaped, shape.
    destruct (args_agree K buffers live vals vals1 _ _ SAME _ _ _ fits) as [lengths ALIKE].
    rewrite (node_val_within K sh _ _ n _ shaped ALIKE).
    + apply (STANDS sh shape), unflat_within, a_lt.
    + unfold tensors_at. rewrite map_length, combine_length, map_length. lia.
  - apply filter_In in r_in as [r_in _]. destruct (EACH r r_in) as [r_lt _]. lia.
  - apply filter_In in r_in as [r_in _]. destruct (EACH r r_in) as [r_lt content].
    intros a a_lt. rewrite !value_of_before by lia. exact (content a a_lt).
Qed.

Lemma calls_agree K buffers nodes written : Forall2 (stands_for K) nodes written ->
  forall calls live live1 (vals vals1 : list (nat -> num K)), agree live vals vals1 ->
  calls_live buffers (map shape_of (map nd_kernel nodes)) live (N.of_nat (List.length vals)) calls = Some live1 ->
  agree live1 (graph_values K nodes vals calls) (graph_values K (map as_written written) vals1 calls).
Proof.
  intros STAND calls. induction calls as [|c calls IHcalls]; intros live live1 vals vals1 SAME checked.
  - cbn in *. injection checked as checked. subst live1. exact SAME.
  - cbn in checked.
    destruct (call_live buffers (map shape_of (map nd_kernel nodes)) live (N.of_nat (List.length vals)) c)
      as [between|] eqn:first; [|discriminate checked].
    assert (there : exists n w, nth_error nodes (ca_kernel c) = Some n /\ nth_error written (ca_kernel c) = Some w /\ stands_for K n w).
    { unfold call_live in first. rewrite map_map, nth_error_map in first.
      destruct (nth_error nodes (ca_kernel c)) as [n|] eqn:at_n; [|discriminate first].
      clear - STAND at_n. revert at_n. generalize (ca_kernel c) as k.
      induction STAND as [|m w nodes written here rest IH]; intros [|k] at_n; try discriminate at_n; [|exact (IH k at_n)].
      injection at_n as <-. exists m, w. auto. }
    destruct there as (n & w & at_n & at_w & stands). cbn [graph_values]. rewrite nth_error_map, at_n, at_w. cbn [option_map].
    apply (IHcalls between live1).
    + exact (call_agrees K buffers live between vals vals1 nodes written c n w SAME at_n at_w stands first).
    + rewrite app_length. cbn. rewrite Nat.add_1_r, Nat2N.inj_succ. exact checked.
Qed.

Theorem graph_written K nodes written p : plan_ok (map nd_kernel nodes) p = true -> Forall2 (stands_for K) nodes written ->
  forall given : list (nat -> num K), List.length given = pl_values p ->
  forall r, In r (pl_results p) -> forall a, a < N.to_nat (re_cells r) ->
  value_of (graph_values K nodes given (pl_calls p)) (N.to_nat (re_value r)) a =
  value_of (graph_values K (map as_written written) given (pl_calls p)) (N.to_nat (re_value r)) a.
Proof.
  unfold plan_ok. intros checked STAND given many r r_in a a_lt. apply andb_true_iff in checked as [known checked].
  destruct (calls_live (pl_buffers p) (map shape_of (map nd_kernel nodes)) (pl_given p)
              (N.of_nat (pl_values p)) (pl_calls p)) as [live|] eqn:all_live; [|discriminate checked].
  rewrite forallb_forall in checked. specialize (checked r r_in). rewrite <- many in all_live.
  apply (lies_agree K live _ _ _ (re_place r) (re_cells r)); [|exact checked|exact a_lt].
  apply (calls_agree K (pl_buffers p) nodes written STAND (pl_calls p) (pl_given p)); [|exact all_live].
  split; [reflexivity|]. intros q q_in. rewrite forallb_forall in known. specialize (known q q_in).
  apply N.ltb_lt in known. split; [lia | reflexivity].
Qed.

Theorem written_means ks written p : plan_ok (map ck_index ks) p = true ->
  (forall K, exact_numbers K -> Forall2 (stands_for K) (map ck_node ks) written) ->
  forall K, exact_numbers K ->
  forall (given : list (nat -> num K)) (M M1 : memory K), List.length given = pl_values p ->
  (forall r, In r (pl_given p) -> forall a, a < N.to_nat (re_cells r) ->
     cell M (re_place r) a = value_of given (N.to_nat (re_value r)) a) ->
  runs K (pl_buffers p) ks (pl_calls p) M M1 ->
  forall r, In r (pl_results p) -> forall a, a < N.to_nat (re_cells r) ->
  cell M1 (re_place r) a = value_of (graph_values K (map as_written written) given (pl_calls p)) (N.to_nat (re_value r)) a.
Proof.
  intros checked STAND K LAWS given M M1 many lie RUNS r r_in a a_lt.
  destruct (plan_means ks p checked K given M many lie) as [_ VALUES].
  destruct (VALUES M1 RUNS) as [values _]. rewrite (values r r_in a a_lt).
  apply (graph_written K (map ck_node ks) written p); [|exact (STAND K LAWS)|exact many|exact r_in|exact a_lt].
  rewrite map_map. exact checked.
Qed.
