(** Simplified commands mean the same, and are safe where the others are.

    [simplify_exec] [simplify_safe]
    [simplify_writes] [simplify_reads]   they touch no other cells *)

From Coq Require Import Arith Lia List.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Syntax imp.Semantics imp.Safety imp.Flat imp.ThreadsProof.
From Vouch Require Import lower.Simple lower.SimpleProof lower.Conditions lower.ConditionsProof.
From Vouch Require Import lower.Simplify.
Import ListNotations.

Section ACCESSES.
  Context (sg : nat -> nat) (bd : bounds) (ie : nat -> nat) (BOUNDED : bounded sg bd ie).
  Context (around : list nat).

  Lemma simple_address i : address sg ie (option_map (simple bd) i) = address sg ie i.
  Proof using BOUNDED. destruct i as [e|]; simpl; [apply simple_val, BOUNDED | reflexivity]. Qed.

  Lemma simple_eval K m m1 e : same_mem K m m1 -> forall told, hold sg ie told ->
    feval sg K ie m (simple_exp bd around told e) = feval sg K ie m1 e.
  Proof using BOUNDED.
    intros same.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      intros told holds; cbn [simple_exp feval];
      rewrite ?simple_address, ?IH1, ?IH2, ?IH3 by exact holds; auto.
    - rewrite simple_val by exact BOUNDED. reflexivity.
    - pose proof (shorten_val sg bd ie BOUNDED around g told holds) as is.
      destruct (shorten bd around told g) as [| |h]; simpl in is.
      + rewrite is. apply IH1, holds.
      + rewrite is. apply IH2, holds.
      + cbn [feval]. rewrite is. destruct (guard_val sg ie g).
        * apply IH1, (learnt sg bd ie BOUNDED _ _ _ is holds).
        * apply IH2, (learnt sg bd ie BOUNDED _ _ _ is holds).
  Qed.

  Lemma simple_exp_reads e l : forall told, hold sg ie told ->
    (fexp_reads sg ie (simple_exp bd around told e) l <-> fexp_reads sg ie e l).
  Proof using BOUNDED.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      intros told holds; cbn [simple_exp fexp_reads]; rewrite ?simple_address; try tauto.
    - exact (IH1 told holds).
    - specialize (IH1 told holds). specialize (IH2 told holds). tauto.
    - specialize (IH1 told holds). specialize (IH2 told holds). specialize (IH3 told holds). tauto.
    - pose proof (shorten_val sg bd ie BOUNDED around g told holds) as is.
      destruct (shorten bd around told g) as [| |h]; simpl in is.
      + rewrite is. apply IH1, holds.
      + rewrite is. apply IH2, holds.
      + cbn [fexp_reads]. rewrite is. destruct (guard_val sg ie g).
        * apply IH1, (learnt sg bd ie BOUNDED _ _ _ is holds).
        * apply IH2, (learnt sg bd ie BOUNDED _ _ _ is holds).
  Qed.

  Lemma simple_access_safe extent v i :
    access_safe sg extent ie v i -> access_safe sg extent ie v (option_map (simple bd) i).
  Proof using BOUNDED.
    unfold access_safe. rewrite simple_address. intros [low defined]. split; [exact low|].
    destruct i as [e|]; [apply simple_safe; assumption | exact I].
  Qed.

  Lemma simple_exp_safe extent e : forall told, hold sg ie told ->
    fexp_safe sg extent ie e -> fexp_safe sg extent ie (simple_exp bd around told e).
  Proof using BOUNDED.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      intros told holds; cbn [simple_exp fexp_safe]; auto.
    - apply simple_access_safe.
    - apply simple_safe, BOUNDED.
    - intros [safe1 safe2]. auto.
    - intros (safe1 & safe2 & safe3). auto.
    - intros [safe parts].
      pose proof (shorten_val sg bd ie BOUNDED around g told holds) as is.
      pose proof (shorten_safe sg bd ie BOUNDED around g told safe) as safe_h.
      destruct (shorten bd around told g) as [| |h]; simpl in is.
      + rewrite is in parts. apply IH1; assumption.
      + rewrite is in parts. apply IH2; assumption.
      + rewrite <- is in parts. cbn [fexp_safe]. split; [exact safe_h|].
        destruct (guard_val sg ie h) eqn:first.
        * apply IH1; [exact (learnt sg bd ie BOUNDED _ _ _ first holds) | exact parts].
        * apply IH2; [exact (learnt sg bd ie BOUNDED _ _ _ first holds) | exact parts].
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

  Lemma assign_cases v i e :
    assign v i e = FAssign v i e \/ assign v i e = FSkip /\ e = FRead v i.
  Proof.
    destruct e as [w [b|]|c|j|o e1|o e1 e2|o e1 e2 e3|g e1 e2]; destruct i as [a|]; simpl; auto.
    - destruct (Nat.eqb_spec w v) as [w_v|]; [|auto].
      destruct (same_index b a) eqn:b_a; simpl; [|auto].
      right. rewrite w_v, (same_index_true b a b_a). auto.
    - destruct (Nat.eqb_spec w v) as [w_v|]; [|auto]. right. rewrite w_v. auto.
  Qed.

  Lemma sequence_writes c1 c2 ie l :
    fcomm_writes sg (sequence c1 c2) ie l <-> fcomm_writes sg (FSeq c1 c2) ie l.
  Proof. destruct c1, c2; simpl; tauto. Qed.

  Lemma sequence_reads c1 c2 ie l :
    fcomm_reads sg (sequence c1 c2) ie l <-> fcomm_reads sg (FSeq c1 c2) ie l.
  Proof. destruct c1, c2; simpl; tauto. Qed.

  Lemma new_writes v n c ie l :
    fcomm_writes sg (new v n c) ie l <-> fcomm_writes sg (FNew v n c) ie l.
  Proof. destruct c; simpl; tauto. Qed.

  Lemma new_reads v n c ie l :
    fcomm_reads sg (new v n c) ie l <-> fcomm_reads sg (FNew v n c) ie l.
  Proof. destruct c; simpl; tauto. Qed.

  Lemma loop_writes k i n c ie l :
    fcomm_writes sg (loop k i n c) ie l <-> fcomm_writes sg (FFor k i n c) ie l.
  Proof. destruct c; simpl; try tauto. split; [tauto|]. intros (j & _ & none). exact none. Qed.

  Lemma loop_reads k i n c ie l :
    fcomm_reads sg (loop k i n c) ie l <-> fcomm_reads sg (FFor k i n c) ie l.
  Proof. destruct c; simpl; try tauto. split; [tauto|]. intros (j & _ & none). exact none. Qed.

  Section EXEC.
    Context (K : scalars) (junk : nat -> nat -> num K).

    Notation exec := (fexec sg K junk).

    Lemma sequence_exec c1 c2 ie m : exec (sequence c1 c2) ie m = exec (FSeq c1 c2) ie m.
    Proof. destruct c1, c2; reflexivity. Qed.

    Lemma set_mem_same_mem (m m1 : mem K) v f g :
      same_mem K m m1 -> (forall a, f a = g a) ->
      same_mem K (set_mem K m v f) (set_mem K m1 v g).
    Proof. intros same f_g w a. unfold set_mem. destruct (Nat.eqb w v); auto. Qed.

    Lemma new_exec v n c ie m : same_mem K (exec (new v n c) ie m) (exec (FNew v n c) ie m).
    Proof.
      destruct c; try (intros w a; reflexivity). simpl. intros w a. unfold set_mem.
      destruct (Nat.eqb_spec w v) as [w_v|]; [rewrite w_v|]; reflexivity.
    Qed.

    Lemma loop_exec k i n c ie m : exec (loop k i n c) ie m = exec (FFor k i n c) ie m.
    Proof.
      destruct c; try reflexivity. simpl.
      induction (size_val sg n) as [|r IHr]; [reflexivity | exact IHr].
    Qed.

    Lemma assign_exec v i e ie m : same_mem K (exec (assign v i e) ie m) (exec (FAssign v i e) ie m).
    Proof.
      destruct (assign_cases v i e) as [same|[skip e_is]].
      - rewrite same. intros w a. reflexivity.
      - rewrite skip, e_is. simpl. intros w a. unfold poke.
        destruct (Nat.eqb_spec w v) as [w_v|]; [|reflexivity].
        destruct (Nat.eqb_spec a (address sg ie i)) as [a_i|]; [|reflexivity].
        rewrite w_v, a_i. reflexivity.
    Qed.

    Lemma simplify_exec c : forall bd around ie m m1, bounded sg bd ie -> same_mem K m m1 ->
      same_mem K (exec (simplify bd around c) ie m) (exec c ie m1).
    Proof.
      induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros bd around ie m m1 BOUNDED same;
        cbn [simplify].
      - exact same.
      - rewrite sequence_exec. simpl. auto.
      - intros w a. rewrite assign_exec. simpl.
        rewrite simple_address by exact BOUNDED.
        rewrite (simple_eval sg bd ie BOUNDED around K m m1 e same [] (Forall_nil _)).
        apply poke_same_mem, same.
      - intros w a. rewrite new_exec. simpl. apply set_mem_same_mem; [|intros b; apply same].
        apply IHc; [exact BOUNDED|]. apply set_mem_same_mem; auto.
      - rewrite loop_exec. simpl. rewrite fold_size_val.
        assert (BELOW : forall r, r <= size_val sg n ->
          same_mem K
            (iterate r
              (fun j => exec (simplify (set_bounds bd i (fold_size n)) (i :: around) c) (bind ie i j)) m)
            (iterate r (fun j => exec c (bind ie i j)) m1)).
        { intros r. induction r as [|r IHr]; simpl; intros r_le; [exact same|].
          apply IHc; [apply bounded_loop; [exact BOUNDED | rewrite fold_size_val; lia]|].
          apply IHr. lia. }
        apply BELOW, le_n.
      - apply fexec_same_mem, same.
    Qed.
  End EXEC.

  Lemma simplify_writes c : forall bd around ie l, bounded sg bd ie ->
    fcomm_writes sg (simplify bd around c) ie l -> fcomm_writes sg c ie l.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros bd around ie l BOUNDED;
      cbn [simplify].
    - auto.
    - rewrite sequence_writes. simpl. intros [writes|writes]; eauto.
    - destruct (assign_cases v (option_map (simple bd) i) (simple_exp bd around [] e)) as [same|[skip _]].
      + rewrite same. simpl. rewrite simple_address; auto.
      + rewrite skip. intros none. destruct none.
    - rewrite new_writes. simpl. intros [writes other]. eauto.
    - rewrite loop_writes. simpl. intros (j & j_lt & writes). exists j.
      pose proof (bounded_loop bd ie i _ j BOUNDED j_lt) as BOUNDED_j.
      rewrite fold_size_val in j_lt. split; [exact j_lt|]. exact (IHc _ _ _ l BOUNDED_j writes).
    - auto.
  Qed.

  Lemma simplify_reads c : forall bd around ie l, bounded sg bd ie ->
    fcomm_reads sg (simplify bd around c) ie l -> fcomm_reads sg c ie l.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros bd around ie l BOUNDED;
      cbn [simplify].
    - auto.
    - rewrite sequence_reads. simpl. intros [reads|reads]; eauto.
    - destruct (assign_cases v (option_map (simple bd) i) (simple_exp bd around [] e)) as [same|[skip _]].
      + rewrite same. apply simple_exp_reads; [exact BOUNDED | constructor].
      + rewrite skip. intros none. destruct none.
    - rewrite new_reads. simpl. intros [reads other]. eauto.
    - rewrite loop_reads. simpl. intros (j & j_lt & reads). exists j.
      pose proof (bounded_loop bd ie i _ j BOUNDED j_lt) as BOUNDED_j.
      rewrite fold_size_val in j_lt. split; [exact j_lt|]. exact (IHc _ _ _ l BOUNDED_j reads).
    - auto.
  Qed.

  Lemma sequence_safe extent c1 c2 ie : fcomm_safe sg extent c1 ie -> fcomm_safe sg extent c2 ie ->
    fcomm_safe sg extent (sequence c1 c2) ie.
  Proof. destruct c1, c2; simpl; auto. Qed.

  Lemma folded_extent extent v n :
    set_extent sg extent v (option_map fold_size n) = set_extent sg extent v n.
  Proof.
    destruct n as [n|]; [|reflexivity]. unfold set_extent. simpl. rewrite fold_size_val.
    reflexivity.
  Qed.

  Lemma simplify_safe c : forall bd around extent ie, bounded sg bd ie ->
    fcomm_safe sg extent c ie -> fcomm_safe sg extent (simplify bd around c) ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros bd around extent ie BOUNDED safe;
      cbn [simplify].
    - exact I.
    - destruct safe. apply sequence_safe; auto.
    - destruct safe.
      destruct (assign_cases v (option_map (simple bd) i) (simple_exp bd around [] e)) as [same|[skip _]].
      + rewrite same. split; [apply simple_access_safe; assumption|].
        apply simple_exp_safe; [assumption | constructor | assumption].
      + rewrite skip. exact I.
    - cut (fcomm_safe sg extent (FNew v (option_map fold_size n) (simplify bd around c)) ie).
      + destruct (simplify bd around c); simpl; auto.
      + cbn [fcomm_safe]. rewrite folded_extent. apply IHc; assumption.
    - cut (fcomm_safe sg extent
             (FFor k i (fold_size n) (simplify (set_bounds bd i (fold_size n)) (i :: around) c)) ie).
      + destruct (simplify (set_bounds bd i (fold_size n)) (i :: around) c); simpl; auto.
      + destruct safe as [safe disjoint]. cbn [fcomm_safe]. split.
        * intros j j_lt. apply IHc; [apply bounded_loop; assumption|].
          rewrite fold_size_val in j_lt. auto.
        * intros both j j1 l j_lt j1_lt different writes.
          pose proof (bounded_loop bd ie i _ j BOUNDED j_lt) as BOUNDED_j.
          pose proof (bounded_loop bd ie i _ j1 BOUNDED j1_lt) as BOUNDED_j1.
          rewrite fold_size_val in j_lt, j1_lt.
          destruct (disjoint both j j1 l j_lt j1_lt different) as [no_read no_write];
            [exact (simplify_writes c _ _ _ l BOUNDED_j writes)|].
          split; intros touches;
            [apply no_read; exact (simplify_reads c _ _ _ l BOUNDED_j1 touches)
            |apply no_write; exact (simplify_writes c _ _ _ l BOUNDED_j1 touches)].
    - exact safe.
  Qed.
End COMMANDS.
