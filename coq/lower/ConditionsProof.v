(** Shortened conditions hold where the others do, and are safe where those are.

    [range_sound]     index terms are within their bounds
    [follows_sound]   what is said not to be negative is not
    [learn_sound]     what is learnt of a condition is so
    [agrees]          an outcome says the same as a condition
    [shorten_val] [shorten_safe] *)

From Coq Require Import Arith ZArith NArith Lia List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics.
From Vouch Require Import lower.Simple lower.SimpleProof lower.Conditions.
Import ListNotations.
Local Open Scope Z_scope.

Section VALUES.
  Context (sg : nat -> nat) (bd : bounds) (ie : nat -> nat) (BOUNDED : bounded sg bd ie).

  (** Sizes and loop variables, as variables of polynomials. *)
  Definition both (x : nat) : nat := if Nat.odd x then ie (Nat.div2 x) else sg (Nat.div2 x).

  Notation poly_val := (poly_val both).
  Notation mono_val := (mono_val both).
  Notation val e := (Z.of_nat (ixe_val sg ie e)).

  Lemma variable_val x : poly_val (variable x) = Z.of_nat (both x).
  Proof using. clear BOUNDED. unfold variable. simpl. lia. Qed.

  Lemma of_size_val v : both (of_size v) = sg v.
  Proof using.
    clear BOUNDED. unfold both, of_size. rewrite Nat.odd_mul. cbn [Nat.odd Nat.even negb andb].
    rewrite Nat.div2_double. reflexivity.
  Qed.

  Lemma of_loop_val i : both (of_loop i) = ie i.
  Proof using.
    clear BOUNDED. unfold both, of_loop. rewrite Nat.odd_succ, Nat.even_mul.
    cbn [Nat.even orb]. rewrite Nat.div2_succ_double. reflexivity.
  Qed.

  Lemma size_poly_val s : poly_val (size_poly s) = Z.of_nat (size_val sg s).
  Proof using.
    clear BOUNDED. induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; cbn [size_poly size_val].
    - rewrite variable_val, of_size_val. reflexivity.
    - rewrite poly_const_val. symmetry. apply N_nat_Z.
    - rewrite poly_add_val, IHa, IHb. lia.
    - rewrite poly_mul_val, IHa, IHb. lia.
    - rewrite part_poly_val, of_size_val. reflexivity.
  Qed.

  Lemma before_val p : poly_val (before p) = poly_val p - 1.
  Proof using. clear BOUNDED. unfold before. rewrite poly_sub_val, poly_const_val. reflexivity. Qed.

  Lemma greatest_above a : Z.of_nat (atom_val both a) <= poly_val (greatest bd a).
  Proof using BOUNDED.
    destruct a as [x|v d|v d]; [|unfold greatest; rewrite poly_atom_val; lia..].
    unfold greatest. cbn [atom_val]. destruct (Nat.odd x) eqn:loop; [|rewrite variable_val; lia].
    destruct (bd (Nat.div2 x)) as [n|] eqn:found; [|rewrite variable_val; lia].
    rewrite before_val, size_poly_val. unfold both. rewrite loop.
    specialize (BOUNDED _ _ found). lia.
  Qed.

  Lemma product_greatest_above m : mono_val m <= poly_val (product_greatest bd m).
  Proof using BOUNDED.
    induction m as [|x m IHm].
    - cbn [product_greatest fold_right]. rewrite poly_const_val. simpl. lia.
    - change (product_greatest bd (x :: m)) with (poly_mul (greatest bd x) (product_greatest bd m)).
      change (mono_val (x :: m)) with (Z.of_nat (atom_val both x) * mono_val m).
      rewrite poly_mul_val. pose proof (greatest_above x). pose proof (mono_val_nonneg both m). nia.
  Qed.

  Lemma lowered_below p : poly_val (lowered bd p) <= poly_val p.
  Proof using BOUNDED.
    induction p as [|[m c] p IHp]; [reflexivity|].
    change (lowered bd ((m, c) :: p)) with
      (if c <? 0 then poly_add (term_mul [] c (product_greatest bd m)) (lowered bd p)
       else add_term m c (lowered bd p)).
    rewrite poly_val_cons. destruct (Z.ltb_spec c 0) as [negative|].
    - rewrite poly_add_val, term_mul_val. change (mono_val []) with 1.
      pose proof (product_greatest_above m). nia.
    - rewrite add_term_val. lia.
  Qed.

  Lemma sure_sound p : sure bd p = true -> 0 <= poly_val p.
  Proof using BOUNDED.
    intros holds. apply (coeffs_nonneg_sound both) in holds. pose proof (lowered_below p). lia.
  Qed.

  Lemma part_range_sound e u : val e <= poly_val u ->
    poly_val (fst (part_range bd e u)) <= val e <= poly_val (snd (part_range bd e u)).
  Proof using BOUNDED.
    intros below. unfold part_range. cbn [fst snd]. split; [simpl; lia|].
    pose proof (proj1 (top_below sg bd ie BOUNDED e)) as limit.
    destruct (top bd e) as [n|]; [|exact below].
    rewrite before_val, size_poly_val. simpl in limit. lia.
  Qed.

  Lemma range_sound e : poly_val (fst (range bd e)) <= val e <= poly_val (snd (range bd e)).
  Proof using BOUNDED.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b _|a IHa b _];
      cbn [range].
    - cbn [fst snd ixe_val]. rewrite variable_val, of_loop_val. lia.
    - cbn [fst snd ixe_val]. rewrite size_poly_val. lia.
    - destruct (range bd a) as [la ua]. destruct (range bd b) as [lb ub].
      cbn [fst snd ixe_val] in *. rewrite !poly_add_val. lia.
    - destruct (range bd a) as [la ua]. destruct (range bd b) as [lb ub].
      cbn [fst snd ixe_val] in *. rewrite poly_sub_val. split; [lia|].
      destruct (sure bd (poly_sub la ub)) eqn:proper; [|lia].
      apply sure_sound in proper. rewrite poly_sub_val in proper. rewrite poly_sub_val. lia.
    - destruct (range bd a) as [la ua]. destruct (range bd b) as [lb ub].
      cbn [fst snd ixe_val] in *. rewrite poly_mul_val, Nat2Z.inj_mul. split; [|nia].
      destruct (coeffs_nonneg la && coeffs_nonneg lb) eqn:positive; [|simpl; nia].
      apply andb_true_iff in positive as [nonneg_a nonneg_b].
      apply (coeffs_nonneg_sound both) in nonneg_a, nonneg_b. rewrite poly_mul_val. nia.
    - apply part_range_sound. cbn [ixe_val].
      pose proof (quotient_le (ixe_val sg ie a) (ixe_val sg ie b)). lia.
    - apply part_range_sound. cbn [ixe_val].
      pose proof (remainder_le (ixe_val sg ie a) (ixe_val sg ie b)). lia.
  Qed.

  Lemma gap_below a b : poly_val (gap bd a b) <= val b - val a.
  Proof using BOUNDED.
    unfold gap. rewrite poly_sub_val. pose proof (range_sound a). pose proof (range_sound b). lia.
  Qed.

  Lemma loop_fact_holds i : 0 <= poly_val (loop_fact bd i).
  Proof using BOUNDED.
    unfold loop_fact. destruct (bd i) as [n|] eqn:found; [|reflexivity].
    rewrite poly_sub_val, before_val, size_poly_val, variable_val, of_loop_val.
    specialize (BOUNDED _ _ found). lia.
  Qed.

  Definition hold (told : list poly) : Prop := Forall (fun fact => 0 <= poly_val fact) told.

  Lemma learn_sound g : forall yes, guard_val sg ie g = yes -> hold (learn bd yes g).
  Proof using BOUNDED.
    unfold hold.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; intros yes is; cbn [learn].
    - pose proof (range_sound a). pose proof (range_sound b). simpl in is. rewrite <- is.
      destruct (Nat.ltb_spec (ixe_val sg ie a) (ixe_val sg ie b)); constructor; try constructor;
        rewrite ?before_val, poly_sub_val; lia.
    - pose proof (range_sound a). pose proof (range_sound b). simpl in is. rewrite <- is.
      destruct (Nat.eqb_spec (ixe_val sg ie a) (ixe_val sg ie b)); repeat constructor;
        rewrite poly_sub_val; lia.
    - simpl in is. destruct yes; [|constructor]. apply andb_true_iff in is as [is1 is2].
      apply Forall_app. auto.
    - simpl in is. destruct yes; [constructor|]. apply orb_false_iff in is as [is1 is2].
      apply Forall_app. auto.
    - apply IH1. simpl in is. rewrite <- is. symmetry. apply negb_involutive.
  Qed.

  Lemma learnt g yes told : guard_val sg ie g = yes -> hold told -> hold (learn bd yes g ++ told).
  Proof using BOUNDED. intros is holds. apply Forall_app. split; [apply learn_sound, is | exact holds]. Qed.

  Context (around : list nat).

  Lemma follows_sound told p : hold told -> follows bd around told p = true -> 0 <= poly_val p.
  Proof using BOUNDED.
    unfold follows. intros holds found.
    apply orb_true_iff in found as [found|found]; [apply orb_true_iff in found as [found|found]|].
    - apply sure_sound, found.
    - apply existsb_exists in found as (fact & fact_in & rest). apply sure_sound in rest.
      rewrite poly_sub_val in rest.
      assert (known : 0 <= poly_val fact) by exact (proj1 (Forall_forall _ _) holds fact fact_in).
      lia.
    - apply existsb_exists in found as (i & _ & rest). apply sure_sound in rest.
      rewrite poly_sub_val in rest. pose proof (loop_fact_holds i). lia.
  Qed.

  (** An outcome says the same as a condition whose value is x. *)
  Definition agrees (o : outcome) (x : bool) : Prop :=
    match o with Always => x = true | Never => x = false | Where g => guard_val sg ie g = x end.

  Lemma less_sound told a b : hold told ->
    agrees (decided (less bd around told a b) (GLess a b)) (guard_val sg ie (GLess a b)).
  Proof using BOUNDED.
    intros holds. unfold less. pose proof (gap_below a b). pose proof (gap_below b a).
    destruct (match b with XSize n => below bd a n | _ => false end) eqn:low; cbn [orb].
    - destruct b as [|n| | | | |]; try discriminate.
      apply (below_true sg bd ie BOUNDED) in low. apply Nat.ltb_lt. exact low.
    - destruct (follows bd around told (before (gap bd a b))) eqn:always.
      + apply (follows_sound told _ holds) in always. rewrite before_val in always.
        apply Nat.ltb_lt. lia.
      + destruct (follows bd around told (gap bd b a)) eqn:never; [|reflexivity].
        apply (follows_sound told _ holds) in never. apply Nat.ltb_ge. lia.
  Qed.

  Lemma equal_sound told a b : hold told ->
    agrees (decided (equal bd around told a b) (GEqual a b)) (guard_val sg ie (GEqual a b)).
  Proof using BOUNDED.
    intros holds. unfold equal. pose proof (gap_below a b). pose proof (gap_below b a).
    destruct (_ || _) eqn:never.
    - apply Nat.eqb_neq. apply orb_true_iff in never as [never|never];
        apply (follows_sound told _ holds) in never; rewrite before_val in never; lia.
    - destruct (_ && _) eqn:always; [|reflexivity]. apply Nat.eqb_eq.
      apply andb_true_iff in always as [low high].
      apply (follows_sound told _ holds) in low, high. lia.
  Qed.

  Lemma shorten_val g : forall told, hold told ->
    agrees (shorten bd around told g) (guard_val sg ie g).
  Proof using BOUNDED.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; intros told holds; cbn [shorten].
    - pose proof (less_sound told (simple bd a) (simple bd b) holds) as same.
      simpl in same. rewrite !(simple_val sg bd ie BOUNDED) in same. exact same.
    - pose proof (equal_sound told (simple bd a) (simple bd b) holds) as same.
      simpl in same. rewrite !(simple_val sg bd ie BOUNDED) in same. exact same.
    - simpl. specialize (IH1 told holds).
      destruct (shorten bd around told g1) as [| |h1]; simpl in IH1.
      + rewrite IH1. apply IH2, holds.
      + rewrite IH1. reflexivity.
      + rewrite <- IH1. destruct (guard_val sg ie h1) eqn:first.
        * specialize (IH2 _ (learnt h1 true told first holds)).
          destruct (shorten bd around _ g2) as [| |h2]; simpl in *; rewrite ?first, ?IH2; reflexivity.
        * destruct (shorten bd around _ g2) as [| |h2]; simpl; rewrite ?first; reflexivity.
    - simpl. specialize (IH1 told holds).
      destruct (shorten bd around told g1) as [| |h1]; simpl in IH1.
      + rewrite IH1. reflexivity.
      + rewrite IH1. apply IH2, holds.
      + rewrite <- IH1. destruct (guard_val sg ie h1) eqn:first.
        * destruct (shorten bd around _ g2) as [| |h2]; simpl; rewrite ?first; reflexivity.
        * specialize (IH2 _ (learnt h1 false told first holds)).
          destruct (shorten bd around _ g2) as [| |h2]; simpl in *; rewrite ?first, ?IH2; reflexivity.
    - simpl. specialize (IH1 told holds).
      destruct (shorten bd around told g1) as [| |h1]; simpl in *; rewrite IH1; reflexivity.
  Qed.

  Definition outcome_safe (o : outcome) : Prop :=
    match o with Where g => guard_safe sg ie g | Always | Never => True end.

  Lemma shorten_safe g : forall told, guard_safe sg ie g -> outcome_safe (shorten bd around told g).
  Proof using BOUNDED.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; intros told safe; cbn [shorten].
    - destruct safe. destruct (less _ _ _ _ _) as [[|]|]; simpl; auto using (simple_safe sg bd ie BOUNDED).
    - destruct safe. destruct (equal _ _ _ _ _) as [[|]|]; simpl; auto using (simple_safe sg bd ie BOUNDED).
    - destruct safe as [safe1 safe2]. specialize (IH1 told safe1).
      destruct (shorten bd around told g1) as [| |h1]; [apply IH2, safe2 | exact I|].
      specialize (IH2 (learn bd true h1 ++ told)%list safe2).
      destruct (shorten bd around _ g2); simpl in *; auto.
    - destruct safe as [safe1 safe2]. specialize (IH1 told safe1).
      destruct (shorten bd around told g1) as [| |h1]; [exact I | apply IH2, safe2|].
      specialize (IH2 (learn bd false h1 ++ told)%list safe2).
      destruct (shorten bd around _ g2); simpl in *; auto.
    - specialize (IH1 told safe). destruct (shorten bd around told g1); simpl in *; auto.
  Qed.
End VALUES.
