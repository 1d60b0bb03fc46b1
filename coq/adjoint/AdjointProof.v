(** A checked gradient is the adjoint of the tangent: [gradient_sound]. *)

From Coq Require Import Arith ZArith NArith List Bool Lia Ring_theory Permutation.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Entail adjoint.Rings adjoint.Slopes adjoint.Tangent.
From Vouch Require Import adjoint.Equal adjoint.Substitute adjoint.Change adjoint.Tensors adjoint.Decide adjoint.Adjoint adjoint.UsesProof adjoint.Duals.
Import ListNotations.

(** ** Kernels *)

Lemma varies_rename active r b : varies active (body_rename r b) = varies (fun t => active (r t)) b.
Proof.
  induction b as [c|i|t s|x IHx n t before after|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc]; cbn;
    rewrite ?IHa, ?IHc, ?IHd; reflexivity.
Qed.

Lemma seed_in_at l : forall t s, seed_in t l = Some s -> t <= s /\ nth_error l (s - t) = Some Seed.
Proof.
  induction l as [|o l IHl]; cbn; intros t s; [discriminate|].
  assert (next : seed_in (S t) l = Some s -> t <= s /\ nth_error (o :: l) (s - t) = Some Seed).
  { intros found. apply IHl in found as [later at_s]. split; [lia|].
    replace (s - t) with (S (s - S t)) by lia. exact at_s. }
  destruct o; auto. injection 1 as <-. split; [lia|]. now rewrite Nat.sub_diag.
Qed.

Lemma seed_of_in_at f l : forall t s, seed_of_in f t l = Some s ->
  t <= s /\ nth_error l (s - t) = Some (SeedOf f).
Proof.
  induction l as [|o l IHl]; cbn; intros t s; [discriminate|].
  assert (next : seed_of_in f (S t) l = Some s -> t <= s /\ nth_error (o :: l) (s - t) = Some (SeedOf f)).
  { intros found. apply IHl in found as [later at_s]. split; [lia|].
    replace (s - t) with (S (s - S t)) by lia. exact at_s. }
  destruct o as [| |h|]; auto. destruct (Nat.eqb_spec h f) as [->|]; [|auto].
  injection 1 as <-. split; [lia|]. now rewrite Nat.sub_diag.
Qed.

Lemma adjoint_in_at f l : forall t a, adjoint_in f t l = Some a ->
  t <= nd_adjoint a /\ nd_tensor a = f /\ nth_error l (nd_adjoint a - t) = Some (Adjoint f (nd_changes a)).
Proof.
  induction l as [|o l IHl]; cbn; intros t a; [discriminate|].
  assert (next : adjoint_in f (S t) l = Some a -> t <= nd_adjoint a /\ nd_tensor a = f /\
    nth_error (o :: l) (nd_adjoint a - t) = Some (Adjoint f (nd_changes a))).
  { intros found. apply IHl in found as (later & same & at_a). split; [lia|]. split; [assumption|].
    replace (nd_adjoint a - t) with (S (nd_adjoint a - S t)) by lia. exact at_a. }
  destruct o as [| |h|h changes]; auto. destruct (Nat.eqb_spec h f) as [->|]; [|auto].
  injection 1 as <-. cbn. rewrite Nat.sub_diag. auto.
Qed.

Lemma nodes_at k ce a : In a (nodes k ce) ->
  nth_error (wi_origins ce) (nd_adjoint a) = Some (Adjoint (nd_tensor a) (nd_changes a)) \/
  nth_error (wi_origins ce) (nd_adjoint a) = Some (SeedOf (nd_tensor a)).
Proof.
  unfold nodes. intros a_in. apply in_flat_map in a_in as (f & _ & a_in). unfold node_of in a_in.
  destruct (adjoint_in f 0 (wi_origins ce)) as [b|] eqn:found.
  - destruct a_in as [<-|[]]. apply adjoint_in_at in found as (_ & -> & at_b).
    rewrite Nat.sub_0_r in at_b. now left.
  - unfold seed_of in a_in. destruct (seed_of_in f 0 (wi_origins ce)) as [s|] eqn:at_s; [|contradiction].
    destruct a_in as [<-|[]]. apply seed_of_in_at in at_s as [_ at_s]. rewrite Nat.sub_0_r in at_s. now right.
Qed.

Lemma NoDup_app_first {A} (l m : list A) : NoDup (l ++ m) -> NoDup l.
Proof.
  induction l as [|a l IHl]; cbn; [constructor|]. intros once. apply NoDup_cons_iff in once as [fresh once].
  constructor; [|auto]. intros a_in. apply fresh, in_app_iff. now left.
Qed.

Lemma nth_map_seq {A} (f : nat -> A) n i d : i < n -> nth i (map f (seq 0 n)) d = f i.
Proof.
  intros i_lt. rewrite (nth_indep _ _ (f 0)) by now rewrite map_length, seq_length.
  now rewrite map_nth, seq_nth by assumption.
Qed.

Section MAIN.
  Context (k g : ikernel) (ce : witness) (CHECKED : is_adjoint k g ce = true).
  Context (sg : nat -> nat) (FACTS : facts_hold sg (ik_facts k)) (K : scalars) (RING : ring_like K).
  Context (xs : list (tensor K)) (dY : tensor K) (dL : nat -> tensor K) (v : tensor K)
    (SIZE : length xs = length (ik_inputs k)).

  Let laws := ring_laws K RING.
  Add Ring scalar_ring : laws.

  Notation zero_ := (cst K zero).
  Notation ng := (gradient_tensors ce).
  Notation mg := (gradient_locals g).
  Notation m := (forward_locals k).

  Let dirs := directions k ce K v.
  Let LD := locals_val sg (dual K) (paired K xs dirs) (ik_locals k).
  Let fts := locals_val sg K xs (ik_locals k).
  Let ftan := seconds K LD.
  Let gin := gradient_inputs k g ce K xs dY dL.
  Let gts := locals_val sg K gin (ik_locals g).
  Let G := gts ++ fts.
  Let GT := repeat (nothing K) ng ++ ftan.

  Lemma checks :
    ng = mg + length (ik_inputs g) /\ wi_target ce < length (ik_inputs k) /\
    (forall t o, nth_error (wi_origins ce) t = Some o -> origin_ok k g ce t o = true) /\
    (forall p, p < m -> constant_ok k ce p = true) /\
    NoDup (varying k ce) /\ NoDup (wi_outputs ce) /\ (forall f, In f (wi_outputs ce) -> f < m).
  Proof using All.
    unfold is_adjoint in CHECKED. rewrite !andb_true_iff in CHECKED.
    destruct CHECKED as ((((((((tensors & target_lt) & origins) & constants) & once) & outputs) & locals) & _) & _).
    apply Nat.eqb_eq in tensors. apply Nat.ltb_lt in target_lt.
    split; [assumption|]. split; [assumption|]. split; [|split; [|split; [|split]]].
    - intros t o at_t. rewrite forallb_forall in origins. apply (origins (t, o)).
      assert (t_lt : t < length (wi_origins ce)) by (apply nth_error_Some; congruence).
      apply nth_error_nth with (d := Seed) in at_t. rewrite <- at_t.
      replace (t, nth t (wi_origins ce) Seed) with (nth t (combine (seq 0 ng) (wi_origins ce)) (0, Seed)).
      + apply nth_In. rewrite combine_length, seq_length. unfold gradient_tensors. lia.
      + unfold gradient_tensors. rewrite combine_nth by apply seq_length. now rewrite seq_nth.
    - intros p p_lt. rewrite forallb_forall in constants. apply constants, in_seq. lia.
    - now apply no_repeats_sound.
    - now apply no_repeats_sound.
    - intros f f_in. rewrite forallb_forall in locals. now apply Nat.ltb_lt, locals.
  Qed.

  Lemma dirs_length : length xs = length dirs.
  Proof using All. unfold dirs, directions. now rewrite map_length, seq_length. Qed.

  Lemma gts_length : length gts = ng.
  Proof using All.
    destruct checks as (tensors & _). unfold gts, gin, gradient_inputs. rewrite locals_length, map_length, skipn_length.
    unfold gradient_tensors, gradient_locals in *. lia.
  Qed.

  Lemma same_length : length G = length GT.
  Proof using All.
    unfold G, GT, ftan, seconds, LD, fts. rewrite !app_length, gts_length, repeat_length, map_length.
    rewrite (locals_length sg K), (locals_length sg (dual K)).
    unfold paired. rewrite map_length, combine_length, <- dirs_length. lia.
  Qed.

  Lemma pair_read t at_ : read (dual K) LD t at_ = (read K fts t at_, read K ftan t at_).
  Proof using All.
    assert (firsts : fst (read (dual K) LD t at_) = read K fts t at_).
    { apply locals_fst; [assumption| |].
      - unfold paired. rewrite map_length, combine_length, <- dirs_length. lia.
      - intros u at_u. now rewrite read_paired by apply dirs_length. }
    unfold ftan. rewrite seconds_read, <- firsts. now destruct (read (dual K) LD t at_).
  Qed.

  Lemma G_forward f : read K G (forward ce f) = read K fts f.
  Proof using All.
    unfold read, G, forward. rewrite app_nth2; rewrite gts_length; [|lia]. f_equal. lia.
  Qed.
  Lemma GT_forward f : read K GT (forward ce f) = read K ftan f.
  Proof using All.
    unfold read, GT, forward. rewrite app_nth2; rewrite repeat_length; [|lia]. f_equal. lia.
  Qed.
  Lemma G_gradient t : t < ng -> read K G t = read K gts t.
  Proof using All. intros t_lt. unfold read, G. rewrite app_nth1; [reflexivity|]. now rewrite gts_length. Qed.
  Lemma GT_gradient t : t < ng -> read K GT t = nothing K.
  Proof using All.
    intros t_lt. unfold read, GT. rewrite app_nth1 by now rewrite repeat_length.
    now rewrite nth_indep with (d' := nothing K), nth_repeat by now rewrite repeat_length.
  Qed.

  Lemma dual_forward f at_ : read (dual K) (paired K G GT) (forward ce f) at_ = read (dual K) LD f at_.
  Proof using All.
    rewrite read_paired by apply same_length. now rewrite G_forward, GT_forward, pair_read.
  Qed.

  (** What the forward kernel's statements give, and their tangents. *)

  Lemma forward_value p at_ : p < m ->
    read K fts p at_ = element_val sg K (rev at_) G (forward_summands k ce p).
  Proof using All.
    intros p_lt. unfold fts. rewrite locals_read by assumption. unfold statement_val, forward_summands.
    apply element_rename_val. intros t at_t. now rewrite G_forward, read_skipn.
  Qed.

  Lemma forward_tangent p at_ : p < m ->
    read K ftan p at_ = snd (element_val sg (dual K) (rev at_) (paired K G GT) (forward_summands k ce p)).
  Proof using All.
    intros p_lt. unfold ftan. rewrite seconds_read. unfold LD. rewrite locals_read by assumption.
    unfold statement_val, forward_summands. f_equal. apply element_rename_val.
    intros t at_t. now rewrite dual_forward, read_skipn.
  Qed.

  Lemma output_tangent at_ :
    tangent K sg xs dirs k at_ = snd (element_val sg (dual K) (rev at_) (paired K G GT) (forward_output k ce)).
  Proof using All.
    unfold tangent, ikernel_val, statement_val, forward_output. f_equal. apply element_rename_val.
    intros t at_t. now rewrite dual_forward.
  Qed.

  (** What is not said to vary does not. *)

  Lemma constant_tangent f : forall at_, active k ce (forward ce f) = false -> read K ftan f at_ = zero_.
  Proof using All.
    assert (all : forall n f at_, m - f <= n -> active k ce (forward ce f) = false -> read K ftan f at_ = zero_).
    2: { intros at_ inactive. exact (all (m - f) f at_ (le_n _) inactive). }
    clear f. induction n as [|n IHn]; intros f at_ close inactive.
    - unfold ftan. rewrite seconds_read. replace f with (length (ik_locals k) + (f - m)) by (unfold forward_locals in *; lia).
      rewrite <- read_skipn. unfold LD. rewrite locals_inputs, read_paired by apply dirs_length. cbn [snd].
      unfold read, dirs, directions. destruct (Nat.lt_ge_cases (f - m) (length (ik_inputs k))) as [inside|outside].
      + rewrite nth_map_seq by assumption.
        destruct (Nat.eqb_spec (f - m) (wi_target ce)) as [same|]; [|reflexivity]. exfalso.
        unfold active, varying in inactive. cbn [existsb] in inactive. apply orb_false_iff in inactive as [not_target _].
        apply Nat.eqb_neq in not_target. apply not_target. unfold forward, target. lia.
      + rewrite nth_overflow; [reflexivity|]. now rewrite map_length, seq_length.
    - destruct (Nat.lt_ge_cases f m) as [local_f|input_f]; [|apply IHn; [lia|assumption]].
      destruct checks as (_ & _ & _ & constants & _). specialize (constants f local_f). unfold constant_ok in constants.
      rewrite inactive in constants. cbn [orb] in constants. unfold constant in constants.
      rewrite forallb_forall in constants.
      unfold ftan. rewrite seconds_read. unfold LD. rewrite locals_read by assumption. fold LD. unfold statement_val.
      fold (local k f).
      assert (size : length (skipn (S f) fts) = length (skipn (S f) ftan)).
      { rewrite !skipn_length. pose proof same_length as same. unfold G, GT in same.
        rewrite !app_length, gts_length, repeat_length in same. lia. }
      rewrite (element_ext sg (dual K) _ (paired K (skipn (S f) fts) (skipn (S f) ftan))).
      2: { intros t at_t. rewrite read_paired by assumption. now rewrite !read_skipn, pair_read. }
      rewrite (element_sum K RING sg (dual K) snd eq_refl (dual_add K RING)).
      apply lsum_zero; [assumption|]. intros s s_in. apply lsum_zero; [assumption|]. intros w _. unfold sum_at.
      destruct (icond_val sg w (su_cond s)); [|reflexivity].
      apply (snd_fixed (fun t => active k ce (forward ce (S f + t))) sg K RING _ _ size).
      + intros t at_t t_inactive. rewrite read_skipn. apply IHn; [lia|assumption].
      + rewrite <- (varies_rename (active k ce) (fun t => forward ce (S f + t))).
        apply negb_true_iff. apply (constants (summand_rename (fun t => forward ce (S f + t)) s)).
        unfold forward_summands. apply in_map_iff. eauto.
  Qed.

  Lemma fixed t at_ : active k ce t = false -> read K GT t at_ = zero_.
  Proof using All.
    intros inactive. destruct (Nat.lt_ge_cases t ng) as [t_lt|t_ge].
    - now rewrite GT_gradient.
    - replace t with (forward ce (t - ng)) in * by (unfold forward; lia). rewrite GT_forward. now apply constant_tangent.
  Qed.

  (** The gradient's tensors. *)

  Lemma input_read t o : nth_error (wi_origins ce) t = Some o -> mg <= t ->
    read K gts t = 
      match o with
      | Copy f => read K xs (f - m) | Seed => dY | SeedOf f => dL f | Adjoint _ _ => nothing K
      end.
  Proof using All.
    intros at_t t_ge. replace t with (length (ik_locals g) + (t - mg)) by (unfold gradient_locals in *; lia).
    rewrite <- read_skipn. unfold gts. rewrite locals_inputs. unfold gin, gradient_inputs, read.
    apply nth_error_nth. rewrite nth_error_map.
    replace (nth_error (skipn mg (wi_origins ce)) (t - mg)) with (Some o); [reflexivity|].
    symmetry. rewrite <- (firstn_skipn mg (wi_origins ce)) in at_t. rewrite nth_error_app2 in at_t.
    - rewrite firstn_length_le in at_t; [assumption|].
      destruct checks as (tensors & _). unfold gradient_tensors in tensors. lia.
    - rewrite firstn_length. lia.
  Qed.

  Lemma gradient_value_if t at_ : t < mg ->
    (forall u f, t < u -> nth_error (wi_origins ce) u = Some (Copy f) -> forall at_u, read K gts u at_u = read K fts f at_u) ->
    read K gts t at_ = element_val sg K (rev at_) G (gradient_summands k g ce t).
  Proof using All.
    intros t_lt copies. unfold gts. rewrite locals_read by assumption. fold gts. unfold statement_val, gradient_summands.
    apply element_rename_val. intros u at_u. rewrite read_skipn. unfold canonical.
    destruct (nth_error (wi_origins ce) (S t + u)) as [o|] eqn:at_o.
    - assert (inside : S t + u < ng) by (apply nth_error_Some; congruence).
      destruct o as [f| |f|f c]; try now rewrite G_gradient.
      rewrite G_forward. apply copies; [lia|assumption].
    - apply nth_error_None in at_o. unfold read at 1. rewrite nth_overflow by (rewrite gts_length; assumption).
      rewrite G_forward. unfold read. rewrite nth_overflow; [reflexivity|].
      unfold fts. rewrite locals_length, SIZE. unfold forward_locals. lia.
  Qed.

  Lemma copies_read t f at_ : nth_error (wi_origins ce) t = Some (Copy f) -> read K gts t at_ = read K fts f at_.
  Proof using All.
    assert (all : forall n t f at_, ng - t <= n -> nth_error (wi_origins ce) t = Some (Copy f) ->
      read K gts t at_ = read K fts f at_).
    2: { intros at_t. exact (all (ng - t) t f at_ (le_n _) at_t). }
    clear t f at_. induction n as [|n IHn]; intros t f at_ close at_t.
    - exfalso. assert (inside : t < ng) by (apply nth_error_Some; congruence). lia.
    - assert (inside : t < ng) by (apply nth_error_Some; congruence).
      destruct checks as (_ & _ & origins & _). specialize (origins t _ at_t). cbn [origin_ok] in origins.
      apply andb_true_iff in origins as [_ origins].
      destruct (Nat.ltb_spec t mg) as [t_lt|t_ge].
      + apply andb_true_iff in origins as [f_lt same]. apply Nat.ltb_lt in f_lt. apply is_yes_true in same.
        rewrite gradient_value_if, same, <- forward_value; [reflexivity|assumption|assumption|].
        intros u h later at_u at_v. apply IHn; [lia|assumption].
      + apply Nat.leb_le in origins. rewrite (input_read _ _ at_t t_ge).
        unfold fts. replace f with (length (ik_locals k) + (f - m)) at 2 by (unfold forward_locals in *; lia).
        now rewrite <- read_skipn, locals_inputs.
  Qed.

  Lemma gradient_value t at_ : t < mg ->
    read K gts t at_ = element_val sg K (rev at_) G (gradient_summands k g ce t).
  Proof using All. intros t_lt. apply gradient_value_if; [assumption|]. intros. now apply copies_read. Qed.

  Lemma gradient_output_value at_ :
    ikernel_val sg K gin g at_ = element_val sg K (rev at_) G (gradient_output k g ce).
  Proof using All.
    unfold ikernel_val, statement_val, gradient_output. fold gts. apply element_rename_val.
    intros u at_u. unfold canonical. destruct (nth_error (wi_origins ce) u) as [o|] eqn:at_o.
    - assert (inside : u < ng) by (apply nth_error_Some; congruence).
      destruct o as [f| |f|f c]; try now rewrite G_gradient.
      rewrite G_forward. now apply copies_read.
    - apply nth_error_None in at_o. unfold read at 1. rewrite nth_overflow by (rewrite gts_length; assumption).
      rewrite G_forward. unfold read. rewrite nth_overflow; [reflexivity|].
      unfold fts. rewrite locals_length, SIZE. unfold forward_locals. lia.
  Qed.

  (** ** The sums telescope *)

  Notation P := (paired K G GT).
  Notation value := (use_val sg K G GT).
  Notation tangent_of := (local_tangent k K sg xs dirs).

  (** An output's cotangent times its tangent. *)
  Definition cotangent_part (f : nat) : num K :=
    inner K (extents_val sg (local k f)) (dL f) (tangent_of f).

  Lemma input_seed t : nth_error (wi_origins ce) t = Some Seed -> read K G t = dY.
  Proof using All.
    intros at_t. destruct checks as (_ & _ & origins & _). specialize (origins _ _ at_t). cbn [origin_ok] in origins.
    apply andb_true_iff in origins as [_ t_ge]. apply Nat.leb_le in t_ge.
    rewrite G_gradient by (apply nth_error_Some; congruence). now rewrite (input_read _ _ at_t).
  Qed.

  Lemma input_seed_of t f : nth_error (wi_origins ce) t = Some (SeedOf f) ->
    read K G t = dL f /\ mg <= t /\ f < m /\ In f (wi_outputs ce).
  Proof using All.
    intros at_t. destruct checks as (_ & _ & origins & _). specialize (origins _ _ at_t). cbn [origin_ok] in origins.
    rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt, among_in in origins. destruct origins as (((_ & t_ge) & f_lt) & f_in).
    rewrite G_gradient by (apply nth_error_Some; congruence). now rewrite (input_read _ _ at_t).
  Qed.

  Lemma local_tangent_read f at_ : tangent_of f at_ = read K ftan f at_.
  Proof using Type. unfold ftan. now rewrite seconds_read. Qed.

  Lemma tangent_summands f z : f < m ->
    snd (element_val sg (dual K) z P (forward_summands k ce f)) = tangent_of f (rev z).
  Proof using All. intros f_lt. now rewrite local_tangent_read, forward_tangent, rev_involutive. Qed.

  (** An adjoint times the tangent, by the summands that are not its cotangent. *)
  Lemma contributed_sound us f changes l :
    contributions (ik_facts k) (st_extents (local k f)) (uses_at (forward ce f) us) changes l = true ->
    lsum K (uses_at (forward ce f) us) value =
    lsum K (points (extents_val sg (local k f)) [])
      (fun z => op2 K Mul (element_val sg K z G l) (tangent_of f (rev z))).
  Proof using All.
    intros checked. rewrite (contributions_sound sg K RING G GT _ _ (forward ce f) _ FACTS) with (2 := checked).
    - apply lsum_ext. intros z _. now rewrite GT_forward, local_tangent_read.
    - intros u u_in. apply filter_In in u_in as [_ same]. now apply Nat.eqb_eq in same.
  Qed.

  Definition source_part (a : node) : num K :=
    lsum K (points (extents_val sg (local k (nd_tensor a))) [])
      (fun z => op2 K Mul (read K G (nd_adjoint a) (rev z))
        (snd (element_val sg (dual K) z P (forward_summands k ce (nd_tensor a))))).
  Definition output_part (a : node) : num K :=
    if among (nd_tensor a) (wi_outputs ce) then cotangent_part (nd_tensor a) else zero_.

  Lemma seed_summand_val s f z l :
    nth_error (wi_origins ce) s = Some (SeedOf f) ->
    In z (points (extents_val sg (local k f)) []) ->
    element_val sg K z G (seed_summand s (st_extents (local k f)) :: l) =
    op2 K Add (dL f (rev z)) (element_val sg K z G l).
  Proof using All.
    intros at_s z_in. destruct (input_seed_of _ _ at_s) as (read_s & _).
    rewrite !(element_sum K RING sg K (fun x => x) eq_refl (fun x y => eq_refl)). cbn [fsum]. f_equal.
    unfold loop_values, sum_at, seed_summand. cbn [su_loops su_cond su_body map points fsum icond_val].
    change 0 with (length (@nil size)).
    rewrite (cotangent_val sg K G GT same_length s (st_extents (local k f)) []), read_s
      by (now rewrite app_nil_r).
    cbn [length skipn]. ring.
  Qed.

  Lemma node_sound us a : In a (nodes k ce) -> node_ok k g ce us a = true ->
    source_part a = op2 K Add (lsum K (uses_at (forward ce (nd_tensor a)) us) value) (output_part a).
  Proof using All.
    intros a_in ok. unfold node_ok in ok.
    destruct (contributed k g ce a) as [l|] eqn:parts; [|discriminate].
    rewrite (contributed_sound _ _ _ _ ok). unfold contributed in parts. unfold source_part, output_part.
    destruct (nodes_at _ _ _ a_in) as [at_a|at_a].
    - pose proof (proj1 (proj2 (proj2 checks)) _ _ at_a) as origin. cbn [origin_ok] in origin.
      rewrite !andb_true_iff, !Nat.ltb_lt in origin. destruct origin as ((_ & t_lt) & f_lt).
      apply Nat.ltb_lt in t_lt as t_below. rewrite t_below in parts.
      assert (adjoint : forall z, read K G (nd_adjoint a) (rev z) =
        element_val sg K z G (gradient_summands k g ce (nd_adjoint a))).
      { intros z. rewrite G_gradient by (apply nth_error_Some; congruence). now rewrite gradient_value, rev_involutive. }
      destruct (among (nd_tensor a) (wi_outputs ce)).
      + destruct (seed_of ce (nd_tensor a)) as [s|] eqn:seed_at; [|discriminate].
        apply seed_of_in_at in seed_at as [_ seed_at]. rewrite Nat.sub_0_r in seed_at.
        destruct (gradient_summands k g ce (nd_adjoint a)) as [|first more]; [discriminate|].
        destruct (summand_eq_dec first _) as [->|]; [|discriminate]. injection parts as <-.
        unfold cotangent_part, inner. rewrite <- lsum_plus by assumption. apply lsum_ext. intros z z_in.
        rewrite adjoint, tangent_summands by assumption. rewrite seed_summand_val by assumption. ring.
      + injection parts as <-. rewrite (lsum_ext K _ _ (fun z => op2 K Mul
          (element_val sg K z G (gradient_summands k g ce (nd_adjoint a))) (tangent_of (nd_tensor a) (rev z)))); [ring|].
        intros z _. now rewrite adjoint, tangent_summands.
    - destruct (input_seed_of _ _ at_a) as (read_a & t_ge & f_lt & f_in).
      apply Nat.ltb_ge in t_ge. rewrite t_ge in parts. injection parts as <-.
      apply among_in in f_in. rewrite f_in.
      rewrite (lsum_zero K RING _ (fun z => op2 K Mul (element_val sg K z G []) (tangent_of (nd_tensor a) (rev z)))).
      2: { intros z _. cbn. ring. }
      unfold cotangent_part, inner. rewrite (lsum_ext K _ _ (fun z =>
        op2 K Mul (dL (nd_tensor a) (rev z)) (tangent_of (nd_tensor a) (rev z)))); [ring|].
      intros z _. now rewrite read_a, tangent_summands.
  Qed.

  (** Outputs that do not vary add nothing. *)
  Lemma outputs_sum : (forall f, In f (idle k ce) -> ~ In f (wi_outputs ce)) ->
    lsum K (nodes k ce) output_part = lsum K (wi_outputs ce) cotangent_part.
  Proof using All.
    intros apart. destruct checks as (_ & _ & _ & _ & once & outputs_once & _).
    unfold output_part. rewrite <- (lsum_map K nd_tensor (nodes k ce)
      (fun f => if among f (wi_outputs ce) then cotangent_part f else zero_)).
    rewrite (lsum_filter K RING). symmetry.
    rewrite (lsum_ext K (wi_outputs ce) _
      (fun f => if among f (map nd_tensor (nodes k ce)) then cotangent_part f else zero_)).
    - rewrite (lsum_filter K RING). apply (lsum_permutation K RING), NoDup_Permutation.
      + now apply NoDup_filter.
      + unfold varying in once. apply NoDup_cons_iff in once as [_ once].
        apply NoDup_app_first in once. now apply NoDup_filter.
      + intros f. rewrite !filter_In, !among_in. tauto.
    - intros f f_in. destruct (among f _) eqn:varies_f; [reflexivity|].
      unfold cotangent_part, inner. apply (lsum_zero K RING). intros z _.
      rewrite local_tangent_read, constant_tangent; [ring|]. apply not_true_iff_false. intros moves.
      unfold active in moves. apply existsb_exists in moves as (h & h_in & same).
      apply Nat.eqb_eq in same. unfold forward in same. assert (h = f) as -> by lia.
      destruct h_in as [same_target|h_in].
      + destruct checks as (_ & _ & _ & _ & _ & _ & locals). specialize (locals f f_in). unfold target in same_target. lia.
      + apply in_app_iff in h_in as [h_in|h_in]; [apply among_in in h_in; congruence|].
        exact (apart f h_in f_in).
  Qed.

  Lemma target_sound us :
    contributions (ik_facts k) (st_extents (ik_output g)) (uses_at (forward ce (target k ce)) us)
      (wi_changes ce) (gradient_output k g ce) = true ->
    lsum K (uses_at (forward ce (target k ce)) us) value =
    inner K (extents_val sg (ik_output g)) (ikernel_val sg K gin g) v.
  Proof using All.
    intros ok. destruct checks as (_ & target_lt & _).
    rewrite (contributions_sound sg K RING G GT _ _ (forward ce (target k ce)) _ FACTS) with (2 := ok).
    2: { intros u u_in. apply filter_In in u_in as [_ same]. now apply Nat.eqb_eq in same. }
    unfold inner, extents_val. apply lsum_ext. intros z _. f_equal.
    - now rewrite gradient_output_value, rev_involutive.
    - rewrite GT_forward. unfold ftan. rewrite seconds_read. unfold target.
      change m with (length (ik_locals k)). rewrite <- read_skipn. unfold LD. rewrite locals_inputs.
      rewrite read_paired by apply dirs_length. cbn [snd]. unfold read, dirs, directions.
      rewrite nth_map_seq by assumption. now rewrite Nat.eqb_refl.
  Qed.

  Lemma all_sources us : uses_of (active k ce) (sources k ce) = Some us ->
    match seed ce with Some _ => true | None => constant k ce (forward_output k ce) end = true ->
    op2 K Add (lsum K (nodes k ce) source_part) (inner K (extents_val sg (ik_output k)) dY (tangent K sg xs dirs k)) =
    lsum K us value.
  Proof using All.
    intros used output_ok.
    assert (total := uses_sound sg K RING G GT (active k ce) same_length fixed _ _ used).
    unfold sources in total. rewrite lsum_app, lsum_map in total by assumption.
    rewrite <- total. f_equal. clear total.
    assert (elements : forall z, tangent K sg xs dirs k (rev z) =
      snd (element_val sg (dual K) z P (forward_output k ce))).
    { intros z. now rewrite output_tangent, rev_involutive. }
    destruct (seed ce) as [s|] eqn:seed_at; cbn [fsum so_extents so_summands so_adjoint].
    - apply seed_in_at in seed_at as [_ seed_at]. rewrite Nat.sub_0_r in seed_at.
      rewrite (input_seed _ seed_at). unfold inner, extents_val.
      rewrite (lsum_ext K _ _ (fun z => op2 K Mul (dY (rev z))
        (snd (element_val sg (dual K) z P (forward_output k ce))))); [ring|].
      intros z _. now rewrite elements.
    - unfold inner. apply (lsum_zero K RING). intros z _. rewrite elements.
      rewrite (element_sum K RING sg (dual K) snd eq_refl (dual_add K RING)).
      rewrite (lsum_zero K RING); [ring|]. intros s s_in. apply (lsum_zero K RING). intros w _. unfold sum_at.
      destruct (icond_val sg w (su_cond s)); [|reflexivity].
      apply (snd_fixed (active k ce) sg K RING G GT same_length fixed).
      unfold constant in output_ok. rewrite forallb_forall in output_ok. apply negb_true_iff. now apply output_ok.
  Qed.

  Theorem adjoint_of_tangent :
    inner_outputs k ce K sg xs dirs dY dL =
    inner K (extents_val sg (ik_output g)) (ikernel_val sg K gin g) v.
  Proof using All.
    assert (split := CHECKED). unfold is_adjoint in split. apply andb_true_iff in split as [split checked].
    apply andb_true_iff in split as [_ output_ok].
    destruct (uses_of (active k ce) (sources k ce)) as [us|] eqn:used; [|discriminate].
    apply andb_true_iff in checked as [checked target_ok]. apply andb_true_iff in checked as [nodes_ok idle_are].
    rewrite forallb_forall in nodes_ok, idle_are.
    assert (apart : forall f, In f (idle k ce) -> ~ In f (wi_outputs ce)).
    { intros f f_in. specialize (idle_are f f_in). unfold idle_ok in idle_are.
      destruct (uses_at _ us); [|discriminate]. now rewrite <- among_in, (proj1 (negb_true_iff _) idle_are). }
    pose proof (all_sources us used output_ok) as total.
    rewrite (lsum_ext K (nodes k ce) _ _ (fun a a_in => node_sound us a a_in (nodes_ok a a_in))) in total.
    rewrite (lsum_plus K RING), (outputs_sum apart) in total.
    rewrite (sum_by_tensor K RING (map (forward ce) (varying k ce)) us value) in total.
    - unfold varying in total. cbn [map fsum] in total.
      rewrite map_app, lsum_app, map_map, lsum_map, (target_sound us target_ok) in total by assumption.
      rewrite (lsum_zero K RING (map (forward ce) (idle k ce))) in total.
      2: { intros t t_in. apply in_map_iff in t_in as (f & <- & f_in). specialize (idle_are f f_in).
           unfold idle_ok in idle_are. now destruct (uses_at _ us). }
      unfold inner_outputs. fold (cotangent_part).
      set (A := lsum K (nodes k ce) _) in total. set (B := lsum K (wi_outputs ce) _) in *.
      set (L := inner K _ dY _) in *. set (R := inner K _ _ v) in *.
      assert (cancel : op2 K Add L B = op2 K Sub (op2 K Add (op2 K Add A B) L) A) by ring.
      rewrite cancel, total. ring.
    - destruct checks as (_ & _ & _ & _ & once & _). apply NoDup_map_on; [assumption|].
      intros a b _ _ same. unfold forward in same. lia.
    - intros u u_in. pose proof (uses_active _ _ _ _ used u_in) as varies_u. unfold active in varies_u.
      apply existsb_exists in varies_u as (f & f_in & same). apply Nat.eqb_eq in same. rewrite <- same.
      now apply in_map.
  Qed.
End MAIN.

Theorem gradient_sound k g ce : is_gradient k g ce = true -> Gradient k g ce.
Proof.
  unfold is_gradient. intros checked. apply andb_true_iff in checked as [shape checked].
  intros sg FACTS K RING xs dY dL v size. rewrite <- (same_sizes_sound sg _ _ shape).
  exact (adjoint_of_tangent k g ce checked sg FACTS K RING xs dY dL v size).
Qed.

(** Of a kernel with one output. *)
Theorem gradient_of_one_output k g ce : is_gradient k g ce = true -> wi_outputs ce = [] ->
  forall sg, facts_hold sg (ik_facts k) -> forall K, ring_like K ->
  forall (xs : list (tensor K)) (dY v : tensor K), length xs = length (ik_inputs k) ->
  inner K (extents_val sg (ik_output k)) dY (tangent K sg xs (directions k ce K v) k) =
  inner K (sizes_val sg (target_axes k ce))
    (ikernel_val sg K (gradient_inputs k g ce K xs dY (fun _ => nothing K)) g) v.
Proof.
  intros checked one sg FACTS K RING xs dY v size.
  rewrite <- (gradient_sound k g ce checked sg FACTS K RING xs dY (fun _ => nothing K) v size).
  unfold inner_outputs. rewrite one. cbn [fsum]. pose proof (ring_laws K RING) as laws.
  rewrite (Radd_comm laws). symmetry. apply (Radd_0_l laws).
Qed.
