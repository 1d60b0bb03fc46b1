(** Loops with bounds do what loops with conditions inside do.

    [bounds_hold]      the bounds of a loop variable are the condition that they come from
    [needed_idle]      nothing happens where what is needed does not hold
    [tightened_exec]   the meaning stays
    [tightened_writes] [tightened_reads]   no other cells are touched
    [tightened_safe]   it is safe where the other is *)

From Coq Require Import Arith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck imp.Syntax imp.Semantics.
From Vouch Require Import imp.Safety imp.Flat imp.ThreadsProof imp.Gather lower.Tighten.
Import ListNotations.

Section TERMS.
  Context (sg : nat -> nat).

  Notation val := (ixe_val sg).

  Lemma plus_val ie a b : val ie (plus a b) = val ie a + val ie b.
  Proof.
    unfold plus. repeat match goal with |- context [match ?x with _ => _ end] => destruct x end;
      cbn [ixe_val size_val]; lia.
  Qed.

  Lemma previous_val ie e : forall r, previous e = Some r -> val ie e = S (val ie r).
  Proof.
    induction e as [i|s|a IHa b IHb|a _ b _|a _ b _|a _ b _|a _ b _]; intros r; try discriminate.
    - destruct s as [|c| | |]; try discriminate. cbn [previous].
      destruct (N.eqb_spec c 0); [discriminate|]. injection 1 as <-. cbn [ixe_val size_val]. lia.
    - cbn [previous]. destruct (previous b) as [b1|].
      + injection 1 as <-. rewrite plus_val. cbn [ixe_val]. rewrite (IHb b1 eq_refl). lia.
      + destruct (previous a) as [a1|]; [|discriminate]. injection 1 as <-. rewrite plus_val. cbn [ixe_val].
        rewrite (IHa a1 eq_refl). lia.
  Qed.

  Lemma rest_of_val i j ie e : forall r, rest_of i e = Some r -> val (bind ie i j) e = val ie r + j.
  Proof.
    induction e as [k|s|a IHa b IHb|a _ b _|a _ b _|a _ b _|a _ b _]; intros r; try discriminate; cbn [rest_of].
    - destruct (Nat.eqb_spec k i) as [->|]; [|discriminate]. injection 1 as <-. cbn [ixe_val size_val].
      unfold bind. rewrite Nat.eqb_refl. reflexivity.
    - destruct (without i b) eqn:in_b.
      + destruct (rest_of i a) as [a1|]; [|discriminate]. injection 1 as <-. rewrite plus_val. cbn [ixe_val].
        rewrite (IHa a1 eq_refl), without_val by exact in_b. lia.
      + destruct (without i a) eqn:in_a; [|discriminate]. destruct (rest_of i b) as [b1|]; [|discriminate].
        injection 1 as <-. rewrite plus_val. cbn [ixe_val].
        rewrite (IHb b1 eq_refl), without_val by exact in_a. lia.
  Qed.

  Lemma always_safe_safe ie e : always_safe e = true -> ixe_safe sg ie e.
  Proof.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; cbn [always_safe ixe_safe];
      rewrite ?andb_true_iff; try tauto; try discriminate;
      intros [safe_a number]; destruct b as [|[|c| | |]| | | | |]; try discriminate;
      destruct (N.eqb_spec c 0); try discriminate; cbn [ixe_safe ixe_val size_val]; repeat split; auto; lia.
  Qed.

  (** [j] keeps to a pair, as the first iteration or before the end. *)
  Definition not_below (ie : nat -> nat) (j : nat) (p : ixe * ixe) : Prop := pair_difference sg ie p <= j.
  Definition not_beyond (ie : nat -> nat) (j : nat) (p : ixe * ixe) : Prop := j < pair_difference sg ie p.

  Lemma with_rest_cases i e other f :
    with_rest i e other f = [] \/
    exists r, rest_of i e = Some r /\ without i other = true /\ with_rest i e other f = [f r].
  Proof.
    unfold with_rest. destruct (rest_of i e) as [r|]; [|auto]. destruct (without i other); [|auto].
    right. exists r. auto.
  Qed.

  Lemma above_val ie j a r : not_below ie j (above a r) <-> val ie a <= val ie r + j.
  Proof. unfold not_below, pair_difference, above. cbn [fst snd]. lia. Qed.

  Lemma below_val ie j b r : not_beyond ie j (below b r) <-> val ie r + j < val ie b.
  Proof. unfold not_beyond, pair_difference, below. cbn [fst snd]. lia. Qed.

  Lemma strictly_above_val ie j a r : not_below ie j (strictly_above a r) <-> val ie a < val ie r + j.
  Proof.
    unfold not_below, pair_difference, strictly_above. destruct (previous r) as [r1|] eqn:before; cbn [fst snd].
    - rewrite (previous_val ie r r1 before). lia.
    - unfold next. rewrite plus_val. cbn [ixe_val size_val]. lia.
  Qed.

  Lemma up_to_val ie j b r : not_beyond ie j (up_to b r) <-> val ie r + j <= val ie b.
  Proof.
    unfold not_beyond, pair_difference, up_to. destruct (previous r) as [r1|] eqn:before; cbn [fst snd].
    - rewrite (previous_val ie r r1 before). lia.
    - unfold next. rewrite plus_val. cbn [ixe_val size_val]. lia.
  Qed.

  (** A variable that occurs on one side is not on the other. *)
  Lemma rest_of_within i e r : rest_of i e = Some r -> without i e = false.
  Proof.
    revert r. induction e as [k|s|a IHa b IHb|a _ b _|a _ b _|a _ b _|a _ b _]; intros r; try discriminate;
      cbn [rest_of without].
    - destruct (Nat.eqb k i); [reflexivity | discriminate].
    - destruct (without i b) eqn:in_b.
      + destruct (rest_of i a) as [a1|]; [|discriminate]. intros _. rewrite (IHa a1 eq_refl). reflexivity.
      + intros _. apply andb_false_r.
  Qed.

  Lemma with_rest_other i a b f g r : rest_of i a = Some r -> without i b = true ->
    with_rest i a b f = [f r] /\ with_rest i b a g = [].
  Proof.
    intros there absent. unfold with_rest. rewrite there, absent. split; [reflexivity|].
    destruct (rest_of i b) as [s|] eqn:in_b; [|reflexivity].
    rewrite (rest_of_within i b s in_b) in absent. discriminate.
  Qed.

  Ltac bounded_side := rewrite ?Forall_cons_iff, ?Forall_nil_iff.

  Lemma bounds_hold i j ie g : usable i g = true ->
    (guard_val sg (bind ie i j) g = true <->
     Forall (not_below ie j) (lower_bounds i g) /\ Forall (not_beyond ie j) (upper_bounds i g)).
  Proof.
    unfold usable. intros found. apply andb_true_iff in found as [some _]. apply negb_true_iff in some.
    assert (sides : forall a b,
      (exists r, rest_of i a = Some r /\ without i b = true) \/ (exists r, rest_of i b = Some r /\ without i a = true) \/
      (forall f, with_rest i a b f = []) /\ (forall f, with_rest i b a f = [])).
    { intros a b. unfold with_rest. destruct (rest_of i a) as [r|] eqn:in_a.
      - destruct (without i b) eqn:out_b; [left; eauto|]. right. destruct (rest_of i b) as [s|] eqn:in_b; [|auto].
        destruct (without i a) eqn:out_a; [left; eauto | auto].
      - right. destruct (rest_of i b) as [s|] eqn:in_b; [|auto].
        destruct (without i a) eqn:out_a; [left; eauto | auto]. }
    destruct g as [a b|a b|g1 g2|g1 g2|[a b|a b|g1 g2|g1 g2|g1]]; try discriminate;
      cbn [lower_bounds upper_bounds guard_val] in *;
      destruct (sides a b) as [(r & there & absent)|[(r & there & absent)|[none_a none_b]]];
      try (rewrite ?none_a, ?none_b in some; discriminate).
    - destruct (with_rest_other i a b (below b) (strictly_above a) r there absent) as [-> ->].
      bounded_side. rewrite below_val, Nat.ltb_lt, (rest_of_val i j ie a r there), without_val by exact absent. tauto.
    - destruct (with_rest_other i b a (strictly_above a) (below b) r there absent) as [-> ->].
      bounded_side. rewrite strictly_above_val, Nat.ltb_lt, (rest_of_val i j ie b r there), without_val by exact absent. tauto.
    - destruct (with_rest_other i a b (above b) (above a) r there absent) as [-> ->].
      destruct (with_rest_other i a b (up_to b) (up_to a) r there absent) as [-> ->]. cbn [app].
      bounded_side. rewrite above_val, up_to_val, Nat.eqb_eq, (rest_of_val i j ie a r there), without_val by exact absent. lia.
    - destruct (with_rest_other i b a (above a) (above b) r there absent) as [-> ->].
      destruct (with_rest_other i b a (up_to a) (up_to b) r there absent) as [-> ->]. cbn [app].
      bounded_side. rewrite above_val, up_to_val, Nat.eqb_eq, (rest_of_val i j ie b r there), without_val by exact absent. lia.
    - destruct (with_rest_other i a b (above b) (up_to a) r there absent) as [-> ->].
      bounded_side. rewrite above_val, negb_true_iff, Nat.ltb_ge, (rest_of_val i j ie a r there), without_val
        by exact absent. tauto.
    - destruct (with_rest_other i b a (up_to a) (above b) r there absent) as [-> ->].
      bounded_side. rewrite up_to_val, negb_true_iff, Nat.ltb_ge, (rest_of_val i j ie b r there), without_val
        by exact absent. tauto.
  Qed.

  Lemma usable_safe i ie g : usable i g = true -> pairs_safe sg ie (lower_bounds i g) /\ pairs_safe sg ie (upper_bounds i g).
  Proof.
    unfold usable, pairs_safe. intros found. apply andb_true_iff in found as [_ safe]. rewrite forallb_forall in safe.
    split; apply Forall_forall; intros p p_in;
      (assert (here : In p (lower_bounds i g ++ upper_bounds i g)) by (apply in_or_app; auto));
      specialize (safe p here); apply andb_true_iff in safe as [safe_a safe_b]; split; apply always_safe_safe; assumption.
  Qed.

  Lemma first_of_le ie j lo : first_of sg ie lo <= j <-> Forall (not_below ie j) lo.
  Proof.
    induction lo as [|p lo IHlo]; cbn [first_of fold_right].
    - split; [constructor | lia].
    - rewrite Forall_cons_iff, <- IHlo. unfold not_below, first_of. lia.
  Qed.

  Lemma end_of_lt ie n j hi : j < size_val sg n -> (j < end_of sg ie n hi <-> Forall (not_beyond ie j) hi).
  Proof.
    intros j_lt. induction hi as [|p hi IHhi]; cbn [end_of fold_right].
    - split; [constructor | auto].
    - rewrite Forall_cons_iff, <- IHhi. unfold not_beyond, end_of. lia.
  Qed.

  Lemma end_of_le ie n hi : end_of sg ie n hi <= size_val sg n.
  Proof. induction hi as [|p hi IHhi]; cbn [end_of fold_right]; [apply le_n|]. unfold end_of in IHhi. lia. Qed.

  (** Of all conditions at once. *)
  Lemma loop_bounds i j ie n l : (forall g, In g l -> usable i g = true) -> j < size_val sg n ->
    (first_of sg ie (flat_map (lower_bounds i) l) <= j < end_of sg ie n (flat_map (upper_bounds i) l) <->
     forall g, In g l -> guard_val sg (bind ie i j) g = true).
  Proof.
    intros all j_lt. rewrite first_of_le, end_of_lt by exact j_lt. rewrite !Forall_flat_map, !Forall_forall.
    split.
    - intros [low high] g g_in. apply (bounds_hold i j ie g (all g g_in)). auto.
    - intros holds. split; intros g g_in; apply (bounds_hold i j ie g (all g g_in)); auto.
  Qed.

  Lemma loop_pairs_safe i ie l : (forall g, In g l -> usable i g = true) ->
    pairs_safe sg ie (flat_map (lower_bounds i) l) /\ pairs_safe sg ie (flat_map (upper_bounds i) l).
  Proof.
    intros all. unfold pairs_safe. rewrite !Forall_flat_map, !Forall_forall.
    split; intros g g_in; apply (usable_safe i ie g (all g g_in)).
  Qed.

  Lemma conjuncts_val ie g h : In h (conjuncts g) -> guard_val sg ie h = false -> guard_val sg ie g = false.
  Proof.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; cbn [conjuncts];
      try (intros [<-|[]]; trivial).
    rewrite in_app_iff. cbn [guard_val]. intros [there|there] no.
    - rewrite (IH1 there no). reflexivity.
    - rewrite (IH2 there no). apply andb_false_r.
  Qed.

  Definition all_hold (ie : nat -> nat) (known : list guard) : Prop :=
    forall g, In g known -> guard_val sg ie g = true.

  Lemma all_hold_inside ie i j known : all_hold ie known -> all_hold (bind ie i j) (filter (guard_without i) known).
  Proof.
    intros holds g g_in. apply filter_In in g_in as [g_in absent].
    rewrite (guard_without_val sg i j ie g absent). apply holds, g_in.
  Qed.

  Lemma among_true l g : among l g = true -> In g l.
  Proof. unfold among. destruct (in_dec guard_eq_dec g l); [auto | discriminate]. Qed.

  Lemma unknown_val ie known g : all_hold ie known ->
    guard_val sg ie g = match unknown known g with Some h => guard_val sg ie h | None => true end.
  Proof.
    intros holds. induction g as [a b|a b|g1 IH1 g2 IH2|g1 _ g2 _|g1 _];
      try (cbn [unknown]; match goal with |- context [among known ?g] => destruct (among known g) eqn:there end;
           [apply holds, among_true, there | reflexivity]).
    cbn [unknown guard_val]. rewrite IH1, IH2. destruct (unknown known g1), (unknown known g2); cbn [guard_val];
      rewrite ?andb_true_r; reflexivity.
  Qed.

  Lemma unknown_safe ie known g : guard_safe sg ie g ->
    match unknown known g with Some h => guard_safe sg ie h | None => True end.
  Proof.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 _ g2 _|g1 _]; intros safe;
      try (cbn [unknown]; match goal with |- context [among known ?g] => destruct (among known g) end;
           [exact I | exact safe]).
    cbn [unknown guard_safe] in *. destruct safe as [safe1 safe2]. specialize (IH1 safe1). specialize (IH2 safe2).
    destruct (unknown known g1), (unknown known g2); cbn [guard_safe]; auto.
  Qed.
End TERMS.

Section COMMANDS.
  Context (sg : nat -> nat).

  Section GIVEN.
    Context (ie : nat -> nat) (known : list guard) (HOLDS : all_hold sg ie known).

    Lemma given_eval K m e : feval sg K ie m (given_exp known e) = feval sg K ie m e.
    Proof using HOLDS.
      destruct e as [v i|c|i|o e1|o e1 e2|o e1 e2 e3|g e1 e2]; try reflexivity. cbn [given_exp feval].
      rewrite (unknown_val sg ie known g HOLDS). destruct (unknown known g); reflexivity.
    Qed.

    Lemma given_exp_reads e l : fexp_reads sg ie (given_exp known e) l <-> fexp_reads sg ie e l.
    Proof using HOLDS.
      destruct e as [v i|c|i|o e1|o e1 e2|o e1 e2 e3|g e1 e2]; try reflexivity. cbn [given_exp fexp_reads].
      rewrite (unknown_val sg ie known g HOLDS). destruct (unknown known g); reflexivity.
    Qed.

    Lemma given_exp_safe extent e : fexp_safe sg extent ie e -> fexp_safe sg extent ie (given_exp known e).
    Proof using HOLDS.
      destruct e as [v i|c|i|o e1|o e1 e2|o e1 e2 e3|g e1 e2]; try trivial. cbn [given_exp fexp_safe].
      intros [safe parts]. pose proof (unknown_safe sg ie known g safe) as safe_h.
      rewrite (unknown_val sg ie known g HOLDS) in parts. destruct (unknown known g); cbn [fexp_safe]; auto.
    Qed.
  End GIVEN.

  Lemma given_exec K junk c : forall ie known m, all_hold sg ie known ->
    fexec sg K junk (given known c) ie m = fexec sg K junk c ie m.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie known m holds;
      cbn [given fexec].
    - reflexivity.
    - rewrite IH1, IH2 by exact holds. reflexivity.
    - rewrite given_eval by exact holds. reflexivity.
    - rewrite IHc by exact holds. reflexivity.
    - generalize (size_val sg n). intros r. induction r as [|r IHr]; [reflexivity|]. cbn [iterate]. rewrite IHr.
      apply IHc, all_hold_inside, holds.
    - generalize (count_of sg ie n lo hi). intros r. induction r as [|r IHr]; [reflexivity|]. cbn [iterate].
      rewrite IHr. apply IHc, all_hold_inside, holds.
  Qed.

  Lemma given_writes c : forall ie known l, all_hold sg ie known ->
    (fcomm_writes sg (given known c) ie l <-> fcomm_writes sg c ie l).
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie known l holds;
      cbn [given fcomm_writes]; try reflexivity.
    - rewrite IH1, IH2 by exact holds. reflexivity.
    - rewrite IHc by exact holds. reflexivity.
    - split; intros (j & j_lt & writes); exists j; split; auto;
        apply (IHc _ _ l (all_hold_inside sg ie i j known holds)); exact writes.
    - split; intros (j & j_lt & writes); exists j; split; auto;
        apply (IHc _ _ l (all_hold_inside sg ie i (first_of sg ie lo + j) known holds)); exact writes.
  Qed.

  Lemma given_reads c : forall ie known l, all_hold sg ie known ->
    (fcomm_reads sg (given known c) ie l <-> fcomm_reads sg c ie l).
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie known l holds;
      cbn [given fcomm_reads]; try reflexivity.
    - rewrite IH1, IH2 by exact holds. reflexivity.
    - apply given_exp_reads, holds.
    - rewrite IHc by exact holds. reflexivity.
    - split; intros (j & j_lt & reads); exists j; split; auto;
        apply (IHc _ _ l (all_hold_inside sg ie i j known holds)); exact reads.
    - split; intros (j & j_lt & reads); exists j; split; auto;
        apply (IHc _ _ l (all_hold_inside sg ie i (first_of sg ie lo + j) known holds)); exact reads.
  Qed.

  Lemma given_safe c : forall extent ie known, all_hold sg ie known ->
    fcomm_safe sg extent c ie -> fcomm_safe sg extent (given known c) ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros extent ie known holds;
      cbn [given fcomm_safe].
    - auto.
    - intros [safe1 safe2]. auto.
    - intros [access safe]. split; [exact access|]. apply given_exp_safe; assumption.
    - auto.
    - intros [safe apart]. split; [auto using all_hold_inside|].
      intros both j j1 l j_lt j1_lt different writes.
      rewrite given_writes in writes by (apply all_hold_inside, holds).
      rewrite given_reads, given_writes by (apply all_hold_inside, holds).
      exact (apart both j j1 l j_lt j1_lt different writes).
    - intros (safe_lo & safe_hi & safe). auto using all_hold_inside.
  Qed.

  Section IDLE.
    Context (K : scalars) (junk : nat -> nat -> num K).

    Notation exec := (fexec sg K junk).

    Lemma same_mem_trans (m1 m2 m3 : mem K) : same_mem K m1 m2 -> same_mem K m2 m3 -> same_mem K m1 m3.
    Proof. intros first second v a. rewrite first. apply second. Qed.

    Lemma iterate_idle n (f : nat -> mem K -> mem K) : (forall j m, same_mem K (f j m) m) ->
      forall m, same_mem K (iterate n f m) m.
    Proof.
      intros idle m. induction n as [|n IHn]; [intros v a; reflexivity|]. cbn [iterate].
      exact (same_mem_trans _ _ _ (idle n _) IHn).
    Qed.

    Lemma same_address_true a b : same_address a b = true -> a = b.
    Proof.
      destruct a as [x|], b as [y|]; try discriminate; [|reflexivity]. cbn [same_address].
      destruct (ixe_eq_dec x y) as [->|]; [reflexivity | discriminate].
    Qed.

    Lemma poke_itself (m : mem K) v a : same_mem K (poke K m v a (m v a)) m.
    Proof.
      intros w b. unfold poke. destruct (Nat.eqb_spec w v) as [->|]; [|reflexivity].
      destruct (Nat.eqb_spec b a) as [->|]; reflexivity.
    Qed.

    Lemma copied_idle v w a c ie m : w <> v -> (forall m, same_mem K (exec c ie m) m) ->
      same_mem K
        (exec (FNew v None (FSeq (FSeq (FAssign v None (FRead w a)) c) (FAssign w a (FRead v None)))) ie m) m.
    Proof.
      intros other idle u b. cbn [fexec feval address]. unfold set_mem at 1.
      destruct (Nat.eqb_spec u v) as [->|u_v]; [reflexivity|]. unfold poke at 1.
      rewrite !(idle _ _ _). unfold poke, set_mem. cbn [address]. rewrite Nat.eqb_refl.
      destruct (Nat.eqb_spec u v) as [|_]; [contradiction|].
      destruct (Nat.eqb_spec w v) as [|_]; [contradiction|].
      destruct (Nat.eqb_spec u w) as [->|]; [|reflexivity].
      destruct (Nat.eqb_spec b (address sg ie a)) as [->|]; reflexivity.
    Qed.

    Lemma needed_idle : forall c ie g m, In g (needed c) -> guard_val sg ie g = false -> same_mem K (exec c ie m) m.
    Proof.
      fix needed_idle 1. intros c ie g m g_in no. destruct c as [|c1 c2|v a e|v n c|k i n c|i n lo hi c].
      - destruct g_in.
      - cbn [needed] in g_in. apply filter_In in g_in as [g_in1 g_in2]. apply among_true in g_in2.
        cbn [fexec]. apply (same_mem_trans _ (exec c1 ie m)).
        + exact (needed_idle c2 ie g _ g_in2 no).
        + exact (needed_idle c1 ie g m g_in1 no).
      - destruct e as [ | | | | | |h e1 e2]; try destruct g_in. destruct e2 as [w b| | | | | |]; try destruct g_in.
        cbn [needed] in g_in. destruct (Nat.eqb_spec w v) as [->|]; [|destruct g_in].
        destruct (same_address b a) eqn:same; [|destruct g_in]. apply same_address_true in same as ->.
        cbn [fexec feval]. cbn [andb] in g_in. rewrite (conjuncts_val sg ie h g g_in no). apply poke_itself.
      - destruct n as [n|]; [destruct g_in|]. destruct c as [|c1 c2| | | |]; try destruct g_in.
        destruct c1 as [|c0 c1| | | |]; try destruct g_in. destruct c0 as [| |v1 [x|] e| | |]; try destruct g_in.
        destruct e as [w a| | | | | |]; try destruct g_in. destruct c2 as [| |w1 b e| | |]; try destruct g_in.
        destruct e as [v2 [x|]| | | | | |]; try destruct g_in. cbn [needed] in g_in.
        destruct (Nat.eqb_spec v1 v) as [->|]; [|destruct g_in]. destruct (Nat.eqb_spec v2 v) as [->|]; [|destruct g_in].
        destruct (Nat.eqb_spec w1 w) as [->|]; [|destruct g_in]. destruct (Nat.eqb_spec w v) as [|other]; [destruct g_in|].
        destruct (same_address b a) eqn:same; [|destruct g_in]. apply same_address_true in same as ->.
        apply copied_idle; [exact other|]. intros m1. exact (needed_idle c1 ie g m1 g_in no).
      - cbn [needed] in g_in. apply filter_In in g_in as [g_in absent]. cbn [fexec]. apply iterate_idle. intros j m1.
        apply (needed_idle c (bind ie i j) g m1 g_in). rewrite guard_without_val by exact absent. exact no.
      - cbn [needed] in g_in. apply filter_In in g_in as [g_in absent]. cbn [fexec]. apply iterate_idle. intros j m1.
        apply (needed_idle c (bind ie i (first_of sg ie lo + j)) g m1 g_in).
        rewrite guard_without_val by exact absent. exact no.
    Qed.

    (** A loop that does nothing before [low] and from [high] on. *)
    Lemma iterate_within n low high (f : nat -> mem K -> mem K) m :
      (forall j m, j < n -> ~ low <= j < high -> same_mem K (f j m) m) ->
      (forall j m m1, same_mem K m m1 -> same_mem K (f j m) (f j m1)) ->
      forall r, r <= n ->
      same_mem K (iterate (Nat.min r high - low) (fun j => f (low + j)) m) (iterate r f m).
    Proof.
      intros idle extensional r. induction r as [|r IHr]; intros r_le.
      - intros v a. reflexivity.
      - cbn [iterate]. destruct (le_lt_dec low r) as [from|before]; [destruct (le_lt_dec high r) as [over|inside]|].
        + replace (Nat.min (S r) high) with (Nat.min r high) by lia. intros v a.
          rewrite (idle r _ ltac:(lia) ltac:(lia)). apply IHr. lia.
        + replace (Nat.min (S r) high - low) with (S (Nat.min r high - low)) by lia. cbn [iterate].
          replace (low + (Nat.min r high - low)) with r by lia. apply extensional, IHr. lia.
        + replace (Nat.min (S r) high - low) with (Nat.min r high - low) by lia. intros v a.
          rewrite (idle r _ ltac:(lia) ltac:(lia)). apply IHr. lia.
    Qed.

    Lemma usable_all i c g : In g (filter (usable i) (needed c)) -> usable i g = true.
    Proof. intros g_in. apply filter_In in g_in as [_ found]. exact found. Qed.

    Lemma iterations_hold i ie n l j :
      (forall g, In g l -> usable i g = true) ->
      j < count_of sg ie n (flat_map (lower_bounds i) l) (flat_map (upper_bounds i) l) ->
      first_of sg ie (flat_map (lower_bounds i) l) + j < size_val sg n /\
      all_hold sg (bind ie i (first_of sg ie (flat_map (lower_bounds i) l) + j)) l.
    Proof.
      unfold count_of. intros all j_lt. pose proof (end_of_le sg ie n (flat_map (upper_bounds i) l)) as le.
      split; [lia|]. unfold all_hold. apply (loop_bounds sg i _ ie n l all); lia.
    Qed.

    Lemma tight_loop_exec i n c ie m : same_mem K (exec (tight_loop i n c) ie m) (exec (FFor Seq i n c) ie m).
    Proof.
      unfold tight_loop. destruct (filter (usable i) (needed c)) as [|g0 l0] eqn:found; [intros v a; reflexivity|].
      rewrite <- found. clear g0 l0 found. set (l := filter (usable i) (needed c)).
      assert (all : forall g, In g l -> usable i g = true) by apply usable_all. cbn [fexec].
      set (low := first_of sg ie (flat_map (lower_bounds i) l)). set (high := end_of sg ie n (flat_map (upper_bounds i) l)).
      assert (le : high <= size_val sg n) by apply end_of_le.
      apply (same_mem_trans _ (iterate (Nat.min (size_val sg n) high - low) (fun j => exec c (bind ie i (low + j))) m)).
      - replace (Nat.min (size_val sg n) high) with high by lia. unfold count_of. fold low high.
        assert (SAME : forall r, r <= high - low ->
          iterate r (fun j => exec (given l c) (bind ie i (low + j))) m =
          iterate r (fun j => exec c (bind ie i (low + j))) m).
        { intros r. induction r as [|r IHr]; intros r_le; [reflexivity|]. cbn [iterate]. rewrite IHr by lia.
          apply given_exec. apply (iterations_hold i ie n l r all). unfold count_of. fold low high. lia. }
        rewrite SAME by apply le_n. intros v a. reflexivity.
      - apply (iterate_within (size_val sg n) low high (fun j => exec c (bind ie i j)) m); [| |apply le_n].
        + intros j m1 j_lt outside.
          assert (failing : exists g, In g l /\ guard_val sg (bind ie i j) g = false).
          { assert (some : forallb (guard_val sg (bind ie i j)) l = false).
            { apply not_true_iff_false. rewrite forallb_forall. intros holds. apply outside.
              apply (loop_bounds sg i j ie n l all j_lt), holds. }
            clear -some. induction l as [|g l IHl]; [discriminate|]. cbn [forallb] in some.
            destruct (guard_val sg (bind ie i j) g) eqn:here; [|exists g; simpl; auto].
            destruct (IHl some) as (h & h_in & no). exists h. simpl. auto. }
          destruct failing as (g & g_in & no). apply (needed_idle c _ g m1); [|exact no].
          apply filter_In in g_in as [g_in _]. exact g_in.
        + intros j m1 m2 same. apply fexec_same_mem, same.
    Qed.

    Theorem tightened_exec c : forall ie m m1, same_mem K m m1 ->
      same_mem K (exec (tightened c) ie m) (exec c ie m1).
    Proof.
      induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie m m1 same;
        cbn [tightened]; try (apply fexec_same_mem; exact same).
      - cbn [fexec]. auto.
      - cbn [fexec]. intros w a. unfold set_mem. destruct (Nat.eqb w v); [apply same|]. apply IHc.
        intros u b. destruct (Nat.eqb u v); [reflexivity | apply same].
      - assert (LOOP : same_mem K (exec (FFor k i n (tightened c)) ie m) (exec (FFor k i n c) ie m1)).
        { cbn [fexec]. apply iterate_same_mem; [|exact same]. intros j _ m2 m3 same2. apply IHc, same2. }
        destruct k; try exact LOOP. exact (same_mem_trans _ _ _ (tight_loop_exec i n (tightened c) ie m) LOOP).
    Qed.
  End IDLE.

  Lemma tight_loop_writes i n c ie l :
    fcomm_writes sg (tight_loop i n c) ie l -> fcomm_writes sg (FFor Seq i n c) ie l.
  Proof.
    unfold tight_loop. destruct (filter (usable i) (needed c)) as [|g0 l0] eqn:found; [auto|].
    rewrite <- found. intros (j & j_lt & writes).
    destruct (iterations_hold i ie n _ j (usable_all i c) j_lt) as [below holds].
    eexists. split; [exact below|]. rewrite given_writes in writes by exact holds. exact writes.
  Qed.

  Lemma tight_loop_reads i n c ie l :
    fcomm_reads sg (tight_loop i n c) ie l -> fcomm_reads sg (FFor Seq i n c) ie l.
  Proof.
    unfold tight_loop. destruct (filter (usable i) (needed c)) as [|g0 l0] eqn:found; [auto|].
    rewrite <- found. intros (j & j_lt & reads).
    destruct (iterations_hold i ie n _ j (usable_all i c) j_lt) as [below holds].
    eexists. split; [exact below|]. rewrite given_reads in reads by exact holds. exact reads.
  Qed.

  Lemma tight_loop_safe i n c extent ie :
    fcomm_safe sg extent (FFor Seq i n c) ie -> fcomm_safe sg extent (tight_loop i n c) ie.
  Proof.
    unfold tight_loop. destruct (filter (usable i) (needed c)) as [|g0 l0] eqn:found; [auto|].
    rewrite <- found. intros [safe _]. cbn [fcomm_safe].
    destruct (loop_pairs_safe sg i ie _ (usable_all i c)) as [safe_lo safe_hi].
    split; [exact safe_lo|]. split; [exact safe_hi|]. intros j j_lt.
    destruct (iterations_hold i ie n _ j (usable_all i c) j_lt) as [below holds].
    apply given_safe; [exact holds|]. exact (safe _ below).
  Qed.

  Theorem tightened_writes c : forall ie l, fcomm_writes sg (tightened c) ie l -> fcomm_writes sg c ie l.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie l; cbn [tightened]; auto.
    - intros [writes|writes]; [left | right]; auto.
    - intros [writes other]. split; auto.
    - assert (LOOP : fcomm_writes sg (FFor k i n (tightened c)) ie l -> fcomm_writes sg (FFor k i n c) ie l).
      { intros (j & j_lt & writes). exists j. auto. }
      destruct k; try exact LOOP. intros writes. apply LOOP, tight_loop_writes, writes.
  Qed.

  Theorem tightened_reads c : forall ie l, fcomm_reads sg (tightened c) ie l -> fcomm_reads sg c ie l.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie l; cbn [tightened]; auto.
    - intros [reads|reads]; [left | right]; auto.
    - intros [reads other]. split; auto.
    - assert (LOOP : fcomm_reads sg (FFor k i n (tightened c)) ie l -> fcomm_reads sg (FFor k i n c) ie l).
      { intros (j & j_lt & reads). exists j. auto. }
      destruct k; try exact LOOP. intros reads. apply LOOP, tight_loop_reads, reads.
  Qed.

  Theorem tightened_safe c : forall extent ie, fcomm_safe sg extent c ie -> fcomm_safe sg extent (tightened c) ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros extent ie; cbn [tightened]; auto.
    - intros [safe1 safe2]. split; auto.
    - cbn [fcomm_safe]. apply IHc.
    - intros [safe apart].
      assert (LOOP : fcomm_safe sg extent (FFor k i n (tightened c)) ie).
      { split; [auto|]. intros both j j1 l j_lt j1_lt different writes.
        destruct (apart both j j1 l j_lt j1_lt different (tightened_writes c _ l writes)) as [no_read no_write].
        split; intros touches; [apply no_read, tightened_reads, touches | apply no_write, tightened_writes, touches]. }
      destruct k; try exact LOOP. apply tight_loop_safe, LOOP.
  Qed.
End COMMANDS.
