(** Simplified commands mean the same, and are safe where the others are.

    [simplify_exec] [simplify_safe]
    [simplify_writes] [simplify_reads]   they touch the same cells *)

From Coq Require Import Arith List.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Syntax imp.Semantics imp.Safety imp.Flat.
From Vouch Require Import lower.Simplify lower.SimpleProof.

Section ACCESSES.
  Context (sg : nat -> nat) (bd : bounds) (ie : nat -> nat) (BOUNDED : bounded sg bd ie).

  Lemma simple_guard_val g : guard_val sg ie (simple_guard bd g) = guard_val sg ie g.
  Proof using BOUNDED.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl;
      rewrite ?(simple_val sg bd ie BOUNDED), ?IH1, ?IH2; reflexivity.
  Qed.

  Lemma simple_guard_safe g : guard_safe sg ie g -> guard_safe sg ie (simple_guard bd g).
  Proof using BOUNDED.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl; try tauto;
      intros [safe1 safe2]; auto using (simple_safe sg bd ie BOUNDED).
  Qed.

  Lemma simple_address i : address sg ie (option_map (simple bd) i) = address sg ie i.
  Proof using BOUNDED. destruct i as [e|]; simpl; [apply simple_val, BOUNDED | reflexivity]. Qed.

  Lemma simple_eval K m e : feval sg K ie m (simple_exp bd e) = feval sg K ie m e.
  Proof using BOUNDED.
    induction e as [v i|c|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2]; simpl;
      rewrite ?simple_address, ?simple_guard_val, ?IH1, ?IH2, ?IH3; reflexivity.
  Qed.

  Lemma simple_exp_reads e l : fexp_reads sg ie (simple_exp bd e) l <-> fexp_reads sg ie e l.
  Proof using BOUNDED.
    induction e as [v i|c|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; rewrite ?simple_address, ?simple_guard_val; try tauto.
    destruct (guard_val sg ie g); assumption.
  Qed.

  Lemma simple_access_safe extent v i :
    access_safe sg extent ie v i -> access_safe sg extent ie v (option_map (simple bd) i).
  Proof using BOUNDED.
    unfold access_safe. rewrite simple_address. intros [low defined]. split; [exact low|].
    destruct i as [e|]; [apply simple_safe; assumption | exact I].
  Qed.

  Lemma simple_exp_safe extent e :
    fexp_safe sg extent ie e -> fexp_safe sg extent ie (simple_exp bd e).
  Proof using BOUNDED.
    induction e as [v i|c|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; rewrite ?simple_guard_val; try tauto.
    - apply simple_access_safe.
    - intros [safe safe1]. split; [apply simple_guard_safe, safe|].
      destruct (guard_val sg ie g); auto.
  Qed.
End ACCESSES.

Section COMMANDS.
  Context (sg : nat -> nat).

  Lemma bounded_loop bd ie i n j : bounded sg bd ie -> j < size_val sg n ->
    bounded sg (set_bounds bd i n) (bind ie i j).
  Proof.
    intros BOUNDED j_lt l m. unfold set_bounds, bind.
    destruct (Nat.eqb_spec l i); [|apply BOUNDED]. intros found. injection found as <-. exact j_lt.
  Qed.

  Lemma unbounded ie : bounded sg no_bounds ie.
  Proof. intros i n none. discriminate none. Qed.

  Lemma iterate_below {T : Type} n (f g : nat -> T -> T) a :
    (forall j b, j < n -> f j b = g j b) -> iterate n f a = iterate n g a.
  Proof. intros same. induction n as [|n IHn]; simpl; rewrite ?IHn; auto. Qed.

  Lemma simplify_exec K junk c : forall bd ie m, bounded sg bd ie ->
    fexec sg K junk (simplify bd c) ie m = fexec sg K junk c ie m.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc]; simpl; intros bd ie m BOUNDED.
    - reflexivity.
    - rewrite IH1, IH2; auto.
    - rewrite simple_address, simple_eval; auto.
    - rewrite IHc; auto.
    - apply iterate_below. intros j b j_lt. apply IHc, bounded_loop; assumption.
  Qed.

  Lemma simplify_writes c : forall bd ie l, bounded sg bd ie ->
    fcomm_writes sg (simplify bd c) ie l <-> fcomm_writes sg c ie l.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc]; simpl; intros bd ie l BOUNDED.
    - reflexivity.
    - rewrite IH1, IH2; auto. reflexivity.
    - rewrite simple_address; auto. reflexivity.
    - rewrite IHc; auto. reflexivity.
    - split; intros (j & j_lt & writes); exists j; (split; [exact j_lt|]);
        apply (IHc (set_bounds bd i n) (bind ie i j) l (bounded_loop bd ie i n j BOUNDED j_lt));
        exact writes.
  Qed.

  Lemma simplify_reads c : forall bd ie l, bounded sg bd ie ->
    fcomm_reads sg (simplify bd c) ie l <-> fcomm_reads sg c ie l.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc]; simpl; intros bd ie l BOUNDED.
    - reflexivity.
    - rewrite IH1, IH2; auto. reflexivity.
    - apply simple_exp_reads, BOUNDED.
    - rewrite IHc; auto. reflexivity.
    - split; intros (j & j_lt & reads); exists j; (split; [exact j_lt|]);
        apply (IHc (set_bounds bd i n) (bind ie i j) l (bounded_loop bd ie i n j BOUNDED j_lt));
        exact reads.
  Qed.

  Lemma simplify_safe c : forall bd extent ie, bounded sg bd ie ->
    fcomm_safe sg extent c ie -> fcomm_safe sg extent (simplify bd c) ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc]; simpl;
      intros bd extent ie BOUNDED safe.
    - exact I.
    - destruct safe. auto.
    - destruct safe. split; [apply simple_access_safe | apply simple_exp_safe]; assumption.
    - apply IHc; assumption.
    - destruct safe as [safe disjoint]. split.
      + intros j j_lt. apply IHc; [apply bounded_loop|]; auto.
      + intros both j j1 l j_lt j1_lt different.
        rewrite !simplify_writes, simplify_reads by (apply bounded_loop; assumption).
        apply (disjoint both); assumption.
  Qed.
End COMMANDS.
