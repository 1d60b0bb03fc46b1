(** One step of a reduction, and a loop of them.

    [iterate_correct]         a loop whose step computes the next accumulator is a fold
    [step_value]              the value of one step
    [step_in_place_correct]   the step written over the accumulator it reads
    [step_buffered_correct]   the step written beside it and copied back *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ViewTagsProof.
From Vouch Require Import lower.LowerSpec lower.LoopProof lower.MapProof.
Import ListNotations.

Section STEPS.
  Context (sg : nat -> nat) (K : scalars) (junk : nat -> ty -> value K).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation acc_path := (acc_path sg).
  Notation read := (read sg K).
  Notation exec := (exec sg K junk).
  Notation run_prelude := (run_prelude sg K junk).
  Notation eval := (eval sg K).
  Notation view_correct := (view_correct sg K junk).
  Notation acc_correct := (acc_correct sg K junk).
  Notation env_fresh := (env_fresh sg K).

  Section ITERATE.
    Context (i n : nat) (body : comm) (D : sty) (a : acc) (ie : nat -> nat) (s : store K).
    Context (F : nat -> value K -> value K) (A0 : value K).
    Context (STEP : forall j s1 V, j < n ->
      (forall v q, v <> root a -> s1 v q = s v q) ->
      (forall q, inb D q -> s1 (root a) (acc_path ie a q) = V q) ->
      forall q, inb D q ->
        exec body (bind ie i j) s1 (root a) (acc_path ie a q) = F j V q).
    Context (WRITES : forall j l, comm_writes sg body (bind ie i j) l -> fst l = root a).
    Context (INIT : forall q, inb D q -> s (root a) (acc_path ie a q) = A0 q).

    Lemma iterate_correct m : m <= n ->
      let s1 := iterate m (fun j => exec body (bind ie i j)) s in
      (forall v q, v <> root a -> s1 v q = s v q) /\
      (forall q, inb D q -> s1 (root a) (acc_path ie a q) = iterate m F A0 q).
    Proof using STEP WRITES INIT.
      induction m as [|m IHm]; simpl; intros m_le; [auto|].
      destruct IHm as [other same]; [lia|]. split.
      - intros v q not_root. rewrite exec_frame; [apply other, not_root|].
        intros writes. apply WRITES in writes. simpl in writes. congruence.
      - intros q q_in. apply STEP; auto.
    Qed.
  End ITERATE.

  (** One step, inside loop i, over the elements of x; y reads the accumulator a back. *)
  Section STEP.
    Context (X : list nat) (G : list sty) (n : size) (d1 d2 : ty) (A : acc_fun) (e f : exp).
    Context (P : nat -> Prop) (i : nat) (xi : list nat) (rho : list view).
    Context (vals : list (value K)) (ie : nat -> nat) (s : store K) (x : view).
    Context (SC : scoped P i xi rho) (BOUNDS : in_bounds (map ie xi) X) (X_IN : view_in P i x).
    Context (X_VALUE : forall p, inb (SAry (size_val n) (ty_val d1)) p ->
      read ie s x p = eval (map ie xi) vals e p).

    Definition step_value (j : nat) (V : value K) : value K :=
      eval (j :: map ie xi) ((fun r => eval (map ie xi) vals e (Ix j :: r)) :: V :: vals) f.

    Let below_i (j v : nat) : v < i -> ie v = bind ie i j v.
    Proof. intros v_lt. symmetry. apply bind_below, v_lt. Qed.

    (** Element j of x, in a state where only the accumulator has changed. *)
    Lemma element_value a s1 j r :
      touches sg Cold ie a (ty_val d2) (SAry (size_val n) (ty_val d1)) x ->
      (forall v q, v <> root a -> s1 v q = s v q) -> j < size_val n -> inb (ty_val d1) r ->
      read (bind ie i j) s1 (view_at x i) r = eval (map ie xi) vals e (Ix j :: r).
    Proof using X_IN X_VALUE.
      intros COLD other j_lt r_in. simpl. rewrite bind_same.
      rewrite <- X_VALUE by (simpl; auto). transitivity (read ie s1 x (Ix j :: r)).
      - symmetry. apply (read_below sg K i); [apply below_i | apply X_IN].
      - apply (read_cold sg K ie s s1 a (ty_val d2) (SAry (size_val n) (ty_val d1)) x);
          simpl; auto.
    Qed.

    Context (T : list tag) (a : acc) (y : view).
    Context (CORRECT : acc_correct (cons_tag Cold (cons_tag Aligned (map lowered T)))
      (size_val n :: X) (ty_val d1 :: ty_val d2 :: G) A f (ty_val d2)).
    Context (FRESH : env_fresh (map lowered T) ie s G rho vals).
    Context (HOT : hot sg T ie G rho a (ty_val d2)).
    Context (COLD : touches sg Cold ie a (ty_val d2) (SAry (size_val n) (ty_val d1)) x).
    Context (BELOW : acc_below i a) (ROOT : root a < i) (INJ : acc_inj sg ie a (ty_val d2)).
    Context (Y_READ : forall ie1 s1 p, read ie1 s1 y p = s1 (root a) (acc_path ie1 a p)).
    Context (Y_READS : forall ie1 p, view_reads sg ie1 y p = [(root a, acc_path ie1 a p)]).
    Context (SC_STEP : scoped (fun v => P v \/ v = root a) (S i) (i :: xi)
      (view_at x i :: y :: rho)).

    Lemma step_in_place_correct j s1 V q :
      j < size_val n ->
      (forall v r, v <> root a -> s1 v r = s v r) ->
      (forall r, inb (ty_val d2) r -> s1 (root a) (acc_path ie a r) = V r) ->
      inb (ty_val d2) q ->
      exec (A d2 (i :: xi) (view_at x i :: y :: rho) (S i) a) (bind ie i j) s1
        (root a) (acc_path ie a q) = step_value j V q.
    Proof using SC BOUNDS X_IN X_VALUE CORRECT FRESH HOT COLD BELOW ROOT INJ Y_READ Y_READS
      SC_STEP.
      intros j_lt other same q_in.
      assert (same_path : forall r, acc_path (bind ie i j) a r = acc_path ie a r)
        by (intros r; apply (acc_path_bind sg ie i i j a r BELOW (le_n i))).
      rewrite <- same_path. unfold step_value.
      rewrite <- (map_bind ie i j xi (scoped_loops _ _ _ _ SC)).
      refine (CORRECT d2 _ (S i) (i :: xi) _ _ (bind ie i j) s1 a eq_refl SC_STEP
                (in_bounds_loop ie i j _ xi X (scoped_loops _ _ _ _ SC) j_lt BOUNDS)
                _ _ _ _ _ q q_in).
      - apply env_fresh_cons; [|apply env_fresh_cons].
        + intros r _ r_in. apply (element_value a); assumption.
        + intros r _ r_in. rewrite Y_READ, same_path. apply same, r_in.
        + apply (env_fresh_agree sg K P i xi _ ie (bind ie i j) s1); auto.
          apply (env_fresh_keep sg K T ie s s1 G rho vals a (ty_val d2) HOT); assumption.
      - apply hot_cons; [|apply hot_cons].
        + split; [exact I|]. intros p l p_in reads same_root. simpl in reads.
          rewrite bind_same in reads.
          rewrite (view_reads_below sg i _ ie) in reads; [| |apply X_IN].
          * apply (proj2 COLD (Ix j :: p) l); simpl; auto.
          * intros v v_lt. symmetry. apply below_i, v_lt.
        + split; [reflexivity|]. intros p l p_in reads same_root. simpl.
          rewrite Y_READS in reads. destruct reads as [reads|[]]. rewrite <- reads. reflexivity.
        + apply (hot_lowered sg T _ G rho a _ (ty_val d2)); [reflexivity|].
          exact (hot_bind sg P i xi T ie j G rho a _ SC BELOW HOT).
      - apply (acc_below_incr i); [lia | exact BELOW].
      - lia.
      - intros p r p_in r_in. rewrite !same_path. apply INJ; assumption.
    Qed.
  End STEP.

  Section BUFFERED.
    Context (X : list nat) (G : list sty) (n : size) (d1 d2 : ty) (A : acc_fun) (e f : exp).
    Context (P : nat -> Prop) (v : nat) (xi : list nat) (rho : list view).
    Context (vals : list (value K)) (ie : nat -> nat) (s : store K) (x : view).
    Context (SC : scoped P (S v) xi rho) (NOT_P : ~ P v) (BOUNDS : in_bounds (map ie xi) X).
    Context (X_IN : view_in P (S v) x).
    Context (X_VALUE : forall p, inb (SAry (size_val n) (ty_val d1)) p ->
      read ie s x p = eval (map ie xi) vals e p).
    Context (A_OK : acc_fun_ok sg A (ty_val d2)).
    Context (CORRECT : acc_correct [] (size_val n :: X) (ty_val d1 :: ty_val d2 :: G) A f
      (ty_val d2)).
    Context (FRESH : env_fresh [] ie s G rho vals).

    Lemma step_buffered_correct j s1 V q :
      j < size_val n ->
      (forall w r, w <> v -> s1 w r = s w r) ->
      (forall r, inb (ty_val d2) r -> s1 v r = V r) ->
      inb (ty_val d2) q ->
      exec (red_step false A d2 v (S v) xi x rho) (bind ie (S v) j) s1 v q =
      step_value e f xi vals ie j V q.
    Proof using SC NOT_P BOUNDS X_IN X_VALUE CORRECT FRESH.
      intros j_lt other same q_in. unfold red_step. cbn [Semantics.exec].
      set (i := S v) in *. rewrite set_var_other by (unfold i; lia).
      set (s2 := set_var K s1 (S i) (junk (S i) d2)).
      assert (SC1 : scoped (fun w => P w \/ w = v) (S i) (i :: xi)
                      (view_at x i :: IVar v :: rho)).
      { assert (vars : forall w, P w \/ w = v -> w < i)
          by (intros w [w_in|w_v]; [apply (scoped_vars _ _ _ _ SC), w_in | unfold i; lia]).
        apply scoped_loop; [apply (view_in_incr P _ i); auto|].
        apply scoped_cons; [split; simpl; auto | apply (scoped_incr P _ i); auto]. }
      change (exec (assign d2 (S (S i)) (AVar v) (IVar (S i))) (bind ie i j)
                (exec (A d2 (i :: xi) (view_at x i :: IVar v :: rho) (S (S i)) (AVar (S i)))
                   (bind ie i j) s2) (root (AVar v)) (acc_path (bind ie i j) (AVar v) q) =
              step_value e f xi vals ie j V q).
      rewrite assign_correct; simpl; auto.
      2: { intros p l p_in reads same_root. simpl in reads. destruct reads as [reads|[]].
           rewrite <- reads in same_root. simpl in same_root. unfold i in same_root. lia. }
      2: { apply acc_inj_var. }
      unfold step_value. rewrite <- (map_bind ie i j xi (scoped_loops _ _ _ _ SC)).
      assert (s2_other : forall w r, w <> v -> w < S i -> s2 w r = s w r).
      { intros w r not_v w_lt. unfold s2. rewrite set_var_other by lia. apply other, not_v. }
      refine (CORRECT d2 _ (S (S i)) (i :: xi) _ _ (bind ie i j) s2 (AVar (S i)) eq_refl
                (scoped_S _ _ _ _ SC1)
                (in_bounds_loop ie i j _ xi X (scoped_loops _ _ _ _ SC) j_lt BOUNDS)
                _ _ I (le_n _) (acc_inj_var sg _ _ _) q q_in).
      - apply (env_fresh_cons sg K [] _ _ (ty_val d2 :: G) (IVar v :: rho) _ Cold);
          [|apply (env_fresh_cons sg K [] _ _ G rho _ Cold)].
        + intros r _ r_in. simpl. rewrite bind_same, <- X_VALUE by (simpl; auto). symmetry.
          apply (read_in sg K P i); [exact X_IN| |].
          * intros w u w_in. symmetry. apply s2_other; [congruence|].
            apply (scoped_vars _ _ _ _ SC) in w_in. lia.
          * intros w w_lt. symmetry. apply bind_below, w_lt.
        + intros r _ r_in. simpl. unfold s2. rewrite set_var_other by (unfold i; lia).
          apply same, r_in.
        + apply (env_fresh_agree sg K P i xi _ ie (bind ie i j) s); auto.
          * intros w u w_in. symmetry. apply s2_other; [congruence|].
            apply (scoped_vars _ _ _ _ SC) in w_in. lia.
          * intros w w_lt. symmetry. apply bind_below, w_lt.
      - apply (hot_apart sg _ (S i) (i :: xi) _ _ _ _ _ SC1). simpl.
        intros [in_P|is_v]; [apply (scoped_vars _ _ _ _ SC) in in_P|]; unfold i in *; lia.
    Qed.
  End BUFFERED.
End STEPS.
