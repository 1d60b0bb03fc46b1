(** Simplified index terms denote the same, and are safe where the others are.

    [bounded sg bd ie]   loop variables are below their bounds
    [top_below]   a term is below what [top] says
    [simple_val] [simple_safe] *)

From Coq Require Import Arith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck.
From Vouch Require Import lower.Flatten lower.OffsetProof lower.Simple.
Import ListNotations.

Lemma same_size_true a b : same_size a b = true -> a = b.
Proof. unfold same_size. destruct (size_eq_dec a b); [auto | discriminate]. Qed.

Lemma same_index_true a b : same_index a b = true -> a = b.
Proof. unfold same_index. destruct (ixe_eq_dec a b); [auto | discriminate]. Qed.

Lemma fold_size_val sg s : size_val sg (fold_size s) = size_val sg s.
Proof.
  induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; simpl; auto; rewrite <- IHa, <- IHb;
    destruct (fold_size a) as [w|c|s t|s t|p w]; simpl; try reflexivity;
    destruct (fold_size b) as [w|d|s t|s t|p w]; simpl; try reflexivity.
  - apply N2Nat.inj_add.
  - apply N2Nat.inj_mul.
Qed.

Section VALUES.
  Context (sg : nat -> nat) (bd : bounds) (ie : nat -> nat).

  Notation val := (ixe_val sg ie).
  Notation safe := (ixe_safe sg ie).
  Notation size_val := (size_val sg).

  Definition bounded : Prop := forall i n, bd i = Some n -> ie i < size_val n.
  Context (BOUNDED : bounded).

  Definition is_below (x : nat) (s : option size) : Prop :=
    match s with Some n => x < size_val n | None => True end.

  Lemma is_below_le x y s : y <= x -> is_below x s -> is_below y s.
  Proof. destruct s; simpl; lia. Qed.

  Lemma quotient_le x y : x / y <= x.
  Proof using.
    clear. destruct y as [|y]; [simpl; lia|]. apply Nat.div_le_upper_bound; nia.
  Qed.

  Lemma remainder_le x y : x mod y <= x.
  Proof using. clear. destruct y as [|y]; [simpl; lia|]. apply Nat.mod_le. lia. Qed.

  Lemma top_sum_below x y s t : is_below x s -> is_below y t -> is_below (x + y) (top_sum s t).
  Proof.
    destruct s as [[v|c|a b|a b|p v]|]; try (intros; exact I).
    destruct t as [[w|d|a b|a b|q w]|]; try (intros; exact I). simpl. lia.
  Qed.

  Lemma top_times_below x s k : is_below x s -> is_below (x * N.to_nat k) (top_times s k).
  Proof.
    destruct s as [[v|c|a b|a b|p v]|]; try (intros; exact I). simpl. intros below.
    pose proof (Nat.mul_le_mono_r x (N.to_nat c - 1) (N.to_nat k) ltac:(lia)). lia.
  Qed.

  Lemma product_above x a b : x < a * b -> x / b < a.
  Proof. intros below. apply Nat.div_lt_upper_bound; lia. Qed.

  Lemma top_quotient_below x s n :
    is_below x s -> is_below (x / size_val n) (top_quotient s n).
  Proof.
    destruct s as [[v|c|a b|a b|p v]|]; try (intros; exact I).
    - simpl. destruct n as [v|d|a b|a b|q w]; try (intros; exact I). simpl. intros below.
      rewrite N2Nat.inj_add, N2Nat.inj_div, N2Nat.inj_sub.
      destruct (N.to_nat d) as [|d1] eqn:d_is; [simpl; lia|].
      pose proof (Nat.div_le_mono x (N.to_nat c - N.to_nat 1) (S d1) ltac:(lia) ltac:(lia)). lia.
    - intros below. simpl in below. unfold top_quotient.
      destruct (same_size b n) eqn:b_n.
      + apply same_size_true in b_n. subst n. apply product_above, below.
      + destruct (same_size a n) eqn:a_n; [|exact I].
        apply same_size_true in a_n. subst n. apply product_above. simpl. lia.
  Qed.

  Lemma top_remainder_below x s n :
    is_below x s -> is_below (x mod size_val n) (top_remainder s n).
  Proof.
    intros below.
    assert (KEEP : is_below (x mod size_val n) s)
      by exact (is_below_le _ _ s (remainder_le _ _) below).
    assert (UNDER : size_val n <> 0 -> is_below (x mod size_val n) (Some n)).
    { intros positive. exact (Nat.mod_upper_bound x _ positive). }
    destruct n as [v|d|n1 n2|n1 n2|q v]; unfold top_remainder;
      destruct s as [[w|c|a b|a b|p w]|]; try exact KEEP; try exact I;
      try (destruct (N.eqb_spec d 0) as [d_is|d_not]; [exact KEEP|];
           assert (positive : size_val (SConst d) <> 0) by (simpl; lia);
           specialize (UNDER positive); simpl in *; lia);
      try (destruct (same_size b _ || same_size a _) eqn:one; [|exact KEEP];
           apply UNDER; apply orb_true_iff in one as [one|one]; apply same_size_true in one;
           subst; simpl in *; lia).
  Qed.

  Lemma joined_below x y m n : x < m -> y < n -> x * n + y < m * n.
  Proof using. clear. nia. Qed.

  Lemma top_below e : is_below (val e) (top bd e) /\
    forall x n, e = XMul x (XSize n) -> is_below (val x) (top bd x).
  Proof using BOUNDED.
    induction e as [i|s|a [IHa IHx] b [IHb _]|a [IHa _] b _|a [IHa _] b _|a [IHa _] b _
                   |a [IHa _] b _];
      (split; [cbn [ixe_val]|intros x n e_is; try discriminate]).
    - simpl. destruct (bd i) as [n|] eqn:found; [exact (BOUNDED i n found) | exact I].
    - destruct s; try exact I. simpl. lia.
    - cbn [top]. destruct (top_sum (top bd a) (top bd b)) as [s|] eqn:both.
      + rewrite <- both. apply top_sum_below; assumption.
      + clear both. destruct a as [|s| | |x y| |]; try exact I.
        destruct y as [|n| | | | |]; try exact I.
        destruct (top bd b) as [s|]; [|exact I].
        destruct (same_size s n) eqn:same; [|exact I]. apply same_size_true in same. subst s.
        specialize (IHx x n eq_refl). destruct (top bd x) as [m|]; [|exact I].
        simpl. rewrite size_mul_val. apply joined_below; assumption.
    - apply (is_below_le (val a)); [lia | exact IHa].
    - destruct b as [|s| | | | |]; try exact I. destruct s; try exact I.
      apply top_times_below, IHa.
    - injection e_is as a_is b_is. rewrite <- a_is. exact IHa.
    - destruct b as [|s| | | | |]; try exact (is_below_le _ _ _ (quotient_le _ _) IHa).
      apply top_quotient_below, IHa.
    - destruct b as [|s| | | | |]; try exact (is_below_le _ _ _ (remainder_le _ _) IHa).
      apply top_remainder_below, IHa.
  Qed.

  Lemma below_true e n : below bd e n = true -> val e < size_val n.
  Proof using BOUNDED.
    unfold below. pose proof (proj1 (top_below e)) as BELOW.
    destruct (top bd e) as [[v|c|a b|a b|p v]|]; try discriminate;
      try (intros same; apply same_size_true in same; rewrite <- same; exact BELOW).
    destruct n as [w|d|a b|a b|q w]; try (intros same; apply same_size_true in same; discriminate).
    intros le. apply N.leb_le in le. simpl in *. lia.
  Qed.

  Lemma multiple_val s n k : multiple s n = Some k -> size_val s = size_val k * size_val n.
  Proof using.
    clear BOUNDED. unfold multiple. destruct (same_size s n) eqn:same.
    { intros found. injection found as <-. apply same_size_true in same. rewrite same. simpl. lia. }
    clear same. destruct s as [v|c|a b|a b|p v]; try discriminate.
    - destruct n as [w|d|a b|a b|q w]; try discriminate.
      destruct (N.eqb_spec d 0) as [|positive]; [discriminate|].
      destruct (N.eqb_spec (c mod d) 0) as [exact|]; [|discriminate].
      intros found. injection found as <-. simpl. apply N.div_exact in exact; [|exact positive].
      rewrite exact at 1. lia.
    - destruct (same_size b n) eqn:b_n; [|destruct (same_size a n) eqn:a_n; [|discriminate]];
        intros found; injection found as <-; simpl.
      + apply same_size_true in b_n. rewrite b_n. reflexivity.
      + apply same_size_true in a_n. rewrite a_n. lia.
  Qed.

  Lemma split_at_val n e : forall q r, split_at bd n e = Some (q, r) ->
    val e = val q * size_val n + val r /\ val r < size_val n.
  Proof using BOUNDED.
    assert (SELF : forall e q r, below bd e n = true -> Some (XSize (SConst 0), e) = Some (q, r) ->
              val e = val q * size_val n + val r /\ val r < size_val n).
    { intros e1 q r low found. injection found as <- <-. split; [reflexivity|].
      apply below_true, low. }
    induction e as [i|s|a IHa b IHb|a _ b _|a _ b _|a _ b _|a _ b _]; intros q r;
      cbn [split_at]; destruct (below bd _ n) eqn:low; try (apply SELF, low); try discriminate.
    - destruct a as [| | | |a c| |]; try discriminate. destruct c as [|s| | | | |]; try discriminate.
      destruct (multiple s n) as [k|] eqn:times; [|discriminate].
      destruct (split_at bd n b) as [[q1 r1]|]; [|discriminate].
      intros found. injection found as <- <-. destruct (IHb q1 r1 eq_refl) as [b_is r_lt].
      split; [|exact r_lt]. cbn [ixe_val]. rewrite xadd_val, xmul_val, b_is.
      rewrite (multiple_val s n k times). simpl. ring.
    - destruct b as [|s| | | | |]; try discriminate.
      destruct (multiple s n) as [k|] eqn:times; [|discriminate].
      destruct n as [w|d|n1 n2|n1 n2|p w]; try discriminate.
      destruct (N.eqb_spec d 0) as [|positive]; [discriminate|].
      intros found. injection found as <- <-. cbn [ixe_val]. rewrite xmul_val.
      rewrite (multiple_val s _ k times). simpl. split; [ring | lia].
  Qed.

  Lemma quotient_val a b : val (quotient bd a b) = val a / val b.
  Proof using BOUNDED.
    destruct b as [|n| | | | |]; try reflexivity. unfold quotient.
    destruct (split_at bd n a) as [[q r]|] eqn:found; [|apply xdiv_val].
    destruct (split_at_val n a q r found) as [a_is r_lt].
    apply (Nat.div_unique _ _ _ (val r)); [exact r_lt|]. simpl. lia.
  Qed.

  Lemma remainder_val a b : val (remainder bd a b) = val a mod val b.
  Proof using BOUNDED.
    destruct b as [|n| | | | |]; try reflexivity. unfold remainder.
    destruct (split_at bd n a) as [[q r]|] eqn:found; [|reflexivity].
    destruct (split_at_val n a q r found) as [a_is r_lt].
    apply (Nat.mod_unique _ _ (val q)); [exact r_lt|]. simpl. lia.
  Qed.

  Lemma scaled_val e : val e = val (fst (scaled e)) * size_val (snd (scaled e)).
  Proof using.
    clear BOUNDED. destruct e as [| | | |a b| |]; try (simpl; lia).
    destruct b as [|s| | | | |]; simpl; lia.
  Qed.

  Lemma rejoin_val a b e : rejoin a b = Some e -> val e = val a + val b.
  Proof using.
    clear BOUNDED. unfold rejoin. rewrite (scaled_val a), (scaled_val b).
    destruct (scaled a) as [x s], (scaled b) as [y t].
    destruct x as [| | | | |x n|]; try discriminate. destruct n as [|n| | | | |]; try discriminate.
    destruct y as [| | | | | |y m]; try discriminate. destruct m as [|m| | | | |]; try discriminate.
    destruct (same_index x y && same_size n m && same_size s (size_mul n t)) eqn:same; [|discriminate].
    apply andb_true_iff in same as [same s_is]. apply andb_true_iff in same as [x_is n_is].
    apply same_index_true in x_is. apply same_size_true in n_is, s_is. subst y m s.
    intros found. injection found as <-. rewrite xmul_val. cbn [fst snd ixe_val].
    rewrite size_mul_val. rewrite (Nat.div_mod_eq (val x) (size_val n)) at 1. ring.
  Qed.

  Lemma plus_val b : forall a, val (plus a b) = val a + val b.
  Proof using.
    clear BOUNDED.
    induction b as [i|s|c IHc d IHd|c IHc d IHd|c IHc d IHd|c IHc d IHd|c IHc d IHd]; intros a;
      cbn [plus]; destruct (rejoin a _) as [e|] eqn:whole; try (exact (rejoin_val _ _ _ whole));
      try apply xadd_val.
    destruct (rejoin a c) as [e|] eqn:part; [|apply xadd_val].
    rewrite IHd, (rejoin_val _ _ _ part). simpl. lia.
  Qed.

  Lemma minus_val a b : val (minus a b) = val a - val b.
  Proof using.
    clear BOUNDED.
    assert (EITHER : forall x y c, val (if same_index y c then x else if same_index x c then y else xsub (XAdd x y) c) =
              val x + val y - val c).
    { intros x y c. destruct (same_index y c) eqn:second; [apply same_index_true in second; subst; lia|].
      destruct (same_index x c) eqn:first; [apply same_index_true in first; subst; lia|]. apply xsub_val. }
    destruct a as [i|s|x y|x y|x y|x y|x y]; try apply xsub_val; destruct y as [|[v|c|s t|s t|p v]| | | | |];
      try apply EITHER; try apply xsub_val; destruct b as [|[w|d|s t|s t|q w]| | | | |]; try apply EITHER; try apply xsub_val.
    - cbn [minus]. destruct (N.leb_spec d c); rewrite ?xadd_val, ?xsub_val; simpl; lia.
    - cbn [minus]. rewrite xsub_val. simpl. lia.
  Qed.

  Lemma number_or_val f (g : nat -> nat -> nat) a b e :
    (forall c d, N.to_nat (f c d) = g (N.to_nat c) (N.to_nat d)) -> val e = g (val a) (val b) ->
    val (number_or f a b e) = g (val a) (val b).
  Proof using.
    clear BOUNDED. intros both other. destruct a as [|[v|c|s t|s t|p v]| | | | |]; try exact other.
    destruct b as [|[v|d|s t|s t|p v]| | | | |]; try exact other. apply both.
  Qed.

  Lemma simple_val e : val (simple bd e) = val e.
  Proof using BOUNDED.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      cbn [simple]; [reflexivity | exact (fold_size_val sg s) | ..]; cbn [ixe_val];
      rewrite <- IHa, <- IHb.
    - apply (number_or_val _ Nat.add); [apply N2Nat.inj_add | apply plus_val].
    - apply (number_or_val _ Nat.sub); [apply N2Nat.inj_sub | apply minus_val].
    - apply (number_or_val _ Nat.mul); [apply N2Nat.inj_mul | apply xmul_val].
    - apply (number_or_val _ Nat.div); [apply N2Nat.inj_div | apply quotient_val].
    - apply (number_or_val _ Nat.modulo); [apply N2Nat.inj_mod | apply remainder_val].
  Qed.

  (** What is left of safe terms is safe. *)

  Lemma split_at_safe n e : forall q r, safe e -> split_at bd n e = Some (q, r) -> safe q /\ safe r.
  Proof using.
    clear BOUNDED.
    induction e as [i|s|a IHa b IHb|a _ b _|a _ b _|a _ b _|a _ b _]; intros q r safe_e;
      cbn [split_at]; destruct (below bd _ n); try discriminate;
      try (intros found; injection found as <- <-; split; [exact I | exact safe_e]).
    - destruct a as [| | | |a c| |]; try discriminate. destruct c as [|s| | | | |]; try discriminate.
      destruct (multiple s n) as [k|]; [|discriminate].
      destruct (split_at bd n b) as [[q1 r1]|]; [|discriminate].
      intros found. injection found as <- <-. destruct safe_e as [[safe_a _] safe_b].
      destruct (IHb q1 r1 safe_b eq_refl). split; [|assumption].
      apply xadd_safe; [apply xmul_safe; [assumption | exact I] | assumption].
    - destruct b as [|s| | | | |]; try discriminate.
      destruct (multiple s n) as [k|]; [|discriminate].
      destruct n as [w|d|n1 n2|n1 n2|p w]; try discriminate. destruct (N.eqb d 0); [discriminate|].
      intros found. injection found as <- <-. destruct safe_e.
      split; [apply xmul_safe; [assumption | exact I] | exact I].
  Qed.

  Lemma rejoin_safe a b e : safe a -> rejoin a b = Some e -> safe e.
  Proof using.
    clear BOUNDED. intros safe_a. unfold rejoin.
    assert (safe_x : safe (fst (scaled a))).
    { destruct a as [| | | |a c| |]; try exact safe_a. destruct c; try exact safe_a. apply safe_a. }
    destruct (scaled a) as [x s], (scaled b) as [y t]. simpl in safe_x.
    destruct x as [| | | | |x n|]; try discriminate. destruct n as [|n| | | | |]; try discriminate.
    destruct y as [| | | | | |y m]; try discriminate. destruct m as [|m| | | | |]; try discriminate.
    destruct (_ && _); [|discriminate].
    intros found. injection found as <-. apply xmul_safe; [apply safe_x | exact I].
  Qed.

  Lemma plus_safe b : forall a, safe a -> safe b -> safe (plus a b).
  Proof using.
    clear BOUNDED.
    induction b as [i|s|c IHc d IHd|c IHc d IHd|c IHc d IHd|c IHc d IHd|c IHc d IHd];
      intros a safe_a safe_b; cbn [plus]; destruct (rejoin a _) as [e|] eqn:whole;
      try (exact (rejoin_safe _ _ _ safe_a whole)); try (apply xadd_safe; assumption).
    destruct (rejoin a c) as [e|] eqn:part; [|apply xadd_safe; assumption].
    apply IHd; [exact (rejoin_safe _ _ _ safe_a part) | apply safe_b].
  Qed.

  Lemma minus_safe a b : safe a -> safe b -> val b <= val a -> safe (minus a b).
  Proof using.
    clear BOUNDED. intros safe_a safe_b le.
    assert (EITHER : forall x y c, safe (XAdd x y) -> safe c -> val c <= val (XAdd x y) ->
              safe (if same_index y c then x else if same_index x c then y else xsub (XAdd x y) c)).
    { intros x y c [safe_x safe_y] safe_c le_c. destruct (same_index y c); [exact safe_x|].
      destruct (same_index x c); [exact safe_y|]. apply xsub_safe; [split|..]; assumption. }
    destruct a as [i|s|x y|x y|x y|x y|x y]; try (apply xsub_safe; assumption);
      destruct y as [|[v|c|s t|s t|p v]| | | | |]; try (apply EITHER; assumption); try (apply xsub_safe; assumption);
      destruct b as [|[w|d|s t|s t|q w]| | | | |]; try (apply EITHER; assumption); try (apply xsub_safe; assumption);
      cbn [minus]; simpl in safe_a, le.
    - destruct (N.leb_spec d c); [apply xadd_safe | apply xsub_safe]; simpl; try tauto. lia.
    - apply xsub_safe; simpl; try tauto. lia.
  Qed.

  Lemma number_or_safe f a b e : safe e -> safe (number_or f a b e).
  Proof using.
    clear BOUNDED. intros other. destruct a as [|[v|c|s t|s t|p v]| | | | |]; try exact other.
    destruct b as [|[w|d|s t|s t|q w]| | | | |]; try exact other. exact I.
  Qed.

  Lemma simple_safe e : safe e -> safe (simple bd e).
  Proof using BOUNDED.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      cbn [simple]; cbn [ixe_safe]; try tauto.
    - intros [safe_a safe_b]. apply number_or_safe, plus_safe; auto.
    - intros (safe_a & safe_b & le). apply number_or_safe, minus_safe; auto.
      rewrite !simple_val. exact le.
    - intros [safe_a safe_b]. apply number_or_safe, xmul_safe; auto.
    - intros (safe_a & safe_b & positive). apply number_or_safe. rewrite <- simple_val in positive.
      specialize (IHa safe_a). specialize (IHb safe_b). unfold quotient.
      destruct (simple bd b) as [|n| | | | |]; try (simpl; auto).
      destruct (split_at bd n _) as [[q r]|] eqn:found; [|apply xdiv_safe; auto].
      apply (split_at_safe n _ q r IHa found).
    - intros (safe_a & safe_b & positive). apply number_or_safe. rewrite <- simple_val in positive.
      specialize (IHa safe_a). specialize (IHb safe_b). unfold remainder.
      destruct (simple bd b) as [|n| | | | |]; try (simpl; auto).
      destruct (split_at bd n _) as [[q r]|] eqn:found; [|simpl; auto].
      apply (split_at_safe n _ q r IHa found).
  Qed.
End VALUES.
