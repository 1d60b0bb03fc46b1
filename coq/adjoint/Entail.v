(** Deciding that a condition on indices follows from another, for all sizes.

    A condition becomes rows, "0 <= linear form", over a table of atoms. The negated conclusion is
    added, disjunctions are split, and the rows are refuted by elimination.

    [rows_of]   a condition as rows
    [refute]    splits disjunctions, and quotients by their remainders
    [entails facts p q] [entails_by_cases depth facts p q]   sound by [entails_by_cases_sound] *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel adjoint.Linear adjoint.Atoms adjoint.Eliminate.
Import ListNotations.
Local Open Scope Z_scope.
Local Open Scope lazy_bool_scope.

(** ** Rows *)

Inductive rows : Type :=
| RTrue
| RFalse
| RRow (l : lin)
| RAnd (p q : rows)
| ROr (p q : rows).

Definition both (f : rows -> rows -> rows) (p q : option rows) : option rows :=
  match p, q with Some a, Some b => Some (f a b) | _, _ => None end.

Definition le_rows (holds : bool) (k l : lin) : rows :=
  if holds then RRow (lin_sub l k) else RRow (lin_add (lin_sub k l) (lin_const (-1))).
Definition eq_rows (holds : bool) (k l : lin) : rows :=
  (if holds then RAnd else ROr)
    (if holds then le_rows true k l else le_rows false l k)
    (if holds then le_rows true l k else le_rows false k l).

Fixpoint rows_of (tab : table) (holds : bool) (c : icond) : option rows :=
  match c with
  | CTrue => Some (if holds then RTrue else RFalse)
  | CLe a b =>
      match lin_of tab a, lin_of tab b with
      | Some k, Some l => Some (le_rows holds k l) | _, _ => None end
  | CEq a b =>
      match lin_of tab a, lin_of tab b with
      | Some k, Some l => Some (eq_rows holds k l) | _, _ => None end
  | CAnd d e => both (if holds then RAnd else ROr) (rows_of tab holds d) (rows_of tab holds e)
  | COr d e => both (if holds then ROr else RAnd) (rows_of tab holds d) (rows_of tab holds e)
  | CNot d => rows_of tab (negb holds) d
  end.

Fixpoint rows_hold (v : list Z) (r : rows) : Prop :=
  match r with
  | RTrue => True
  | RFalse => False
  | RRow l => 0 <= lin_val v l
  | RAnd p q => rows_hold v p /\ rows_hold v q
  | ROr p q => rows_hold v p \/ rows_hold v q
  end.

Lemma rows_of_hold sg iv tab c : ordered 0 tab = true -> forall holds r,
  rows_of tab holds c = Some r -> icond_val sg iv c = holds ->
  rows_hold (table_val sg iv tab []) r.
Proof.
  intros order.
  induction c as [|a b|a b|d IHd e IHe|d IHd e IHe|d IHd]; cbn [rows_of icond_val]; intros holds r.
  - injection 1 as <-. intros <-. exact I.
  - destruct (lin_of tab a) as [k|] eqn:of_a; [|discriminate].
    destruct (lin_of tab b) as [l|] eqn:of_b; [|discriminate].
    injection 1 as <-. rewrite <- (lin_of_val sg iv tab order _ _ of_a), <- (lin_of_val sg iv tab order _ _ of_b).
    destruct holds; cbn; intros compared; rewrite ?lin_add_val, lin_sub_val, ?lin_const_val; lia.
  - destruct (lin_of tab a) as [k|] eqn:of_a; [|discriminate].
    destruct (lin_of tab b) as [l|] eqn:of_b; [|discriminate].
    injection 1 as <-. rewrite <- (lin_of_val sg iv tab order _ _ of_a), <- (lin_of_val sg iv tab order _ _ of_b).
    destruct holds; cbn; intros compared; rewrite ?lin_add_val, ?lin_sub_val, ?lin_const_val; lia.
  - unfold both. destruct (rows_of tab holds d) as [p|] eqn:of_d; [|discriminate].
    destruct (rows_of tab holds e) as [q|] eqn:of_e; [|discriminate]. injection 1 as <-.
    intros value. destruct holds; cbn.
    + apply andb_true_iff in value as [d_true e_true]. eauto.
    + apply andb_false_iff in value as [d_false|e_false]; eauto.
  - unfold both. destruct (rows_of tab holds d) as [p|] eqn:of_d; [|discriminate].
    destruct (rows_of tab holds e) as [q|] eqn:of_e; [|discriminate]. injection 1 as <-.
    intros value. destruct holds; cbn.
    + apply orb_true_iff in value as [d_true|e_true]; eauto.
    + apply orb_false_iff in value as [d_false e_false]; eauto.
  - intros found value. apply IHd with (holds := negb holds); [assumption|].
    rewrite <- value. now rewrite negb_involutive.
Qed.

(** ** Entailment *)

(** The remainders of a table's quotients, each with its divisor. *)
Fixpoint remainders (before : nat) (tab : table) : list (lin * positive) :=
  match tab with
  | [] => []
  | EDiv l m :: r => (lin_sub l (lin_scale (Zpos m) (lin_atom before)), m) :: remainders (S before) r
  | _ :: r => remainders (S before) r
  end.

Lemma remainders_bounded v tab : forall before, Forall (nonneg v) (defining before tab) ->
  Forall (fun d => 0 <= lin_val v (fst d) < Zpos (snd d)) (remainders before tab).
Proof.
  induction tab as [|e tab IHtab]; intros before known; cbn [defining remainders] in *; [constructor|].
  destruct e as [i|m|l m]; try (apply IHtab; now apply Forall_inv_tail in known).
  apply Forall_cons_iff in known as [low known]. apply Forall_cons_iff in known as [high known].
  constructor; [|now apply IHtab]. unfold nonneg in *. rewrite lin_sub_val, lin_const_val in high. cbn [fst snd]. lia.
Qed.

(** As [existsb] and [forallb], but no further than they have to look. *)
Fixpoint any {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => false | a :: r => f a ||| any f r end.
Fixpoint every {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => true | a :: r => f a &&& every f r end.

Lemma any_existsb {A} (f : A -> bool) l : any f l = existsb f l.
Proof. induction l as [|a l IHl]; cbn; [reflexivity|]. now rewrite IHl, orb_lazy_alt. Qed.
Lemma every_forallb {A} (f : A -> bool) l : every f l = forallb f l.
Proof. induction l as [|a l IHl]; cbn; [reflexivity|]. now rewrite IHl, andb_lazy_alt. Qed.

(** Rows that say which number it is. *)
Definition is_rows (l : lin) (r : Z) : list lin := [lin_sub l (lin_const r); lin_sub (lin_const r) l].

(** No solution; or none for each remainder of one of the quotients, one in the other [depth] times. *)
Fixpoint unsolvable (depth atoms : nat) (cases : list (lin * positive)) (ls : list lin) : bool :=
  eliminate atoms ls |||
  match depth with
  | O => false
  | S d =>
      any (fun c =>
        every (fun r => unsolvable d atoms cases (fold_right add_row ls (is_rows (fst c) (Z.of_nat r))))
          (seq 0 (Pos.to_nat (snd c)))) cases
  end.

Lemma unsolvable_sound depth atoms v cases :
  Forall (fun d => 0 <= lin_val v (fst d) < Zpos (snd d)) cases ->
  forall ls, Forall (nonneg v) ls -> unsolvable depth atoms cases ls = false.
Proof.
  intros bounded. induction depth as [|d IHd]; intros ls ls_ok; cbn [unsolvable];
    rewrite (eliminate_sound atoms v ls ls_ok); [reflexivity|].
  apply not_true_iff_false. intros found. rewrite any_existsb in found. apply existsb_exists in found as ([l m] & c_in & all).
  pose proof (proj1 (Forall_forall _ _) bounded _ c_in) as range. cbn [fst snd] in *.
  rewrite every_forallb, forallb_forall in all. specialize (all (Z.to_nat (lin_val v l))).
  rewrite IHd in all; [discriminate all|].
  - apply in_seq. lia.
  - apply add_rows_nonneg; [|assumption]. unfold is_rows, nonneg. rewrite Z2Nat.id by lia.
    repeat constructor; rewrite lin_sub_val, lin_const_val; lia.
Qed.

Section REFUTE.
  Context (depth atoms : nat) (cases : list (lin * positive)).

  (** Disjunctions are split one after the other. *)
  Fixpoint refute (fuel : nat) (todo : list rows) (ls : list lin) : bool :=
    match fuel with
    | O => false
    | S f =>
        match todo with
        | [] => unsolvable depth atoms cases ls
        | RTrue :: more => refute f more ls
        | RFalse :: _ => true
        | RRow l :: more => refute f more (add_row (tightened l) ls)
        | RAnd p q :: more => refute f (p :: q :: more) ls
        | ROr p q :: more => refute f (p :: more) ls &&& refute f (q :: more) ls
        end
    end.

  Lemma refute_sound fuel v : Forall (fun d => 0 <= lin_val v (fst d) < Zpos (snd d)) cases ->
    forall todo ls, Forall (rows_hold v) todo -> Forall (nonneg v) ls -> refute fuel todo ls = false.
  Proof using Type.
    intros bounded. induction fuel as [|f IHf]; intros todo ls todo_ok ls_ok; cbn [refute]; [reflexivity|].
    destruct todo as [|r more]; [now apply (unsolvable_sound depth atoms v)|].
    apply Forall_cons_iff in todo_ok as [r_ok more_ok].
    destruct r as [| |l|p q|p q]; cbn in r_ok.
    - now apply IHf.
    - contradiction.
    - apply IHf; [assumption|]. apply add_row_nonneg; [now apply tightened_nonneg|assumption].
    - destruct r_ok. apply IHf; [now repeat constructor|assumption].
    - rewrite <- andb_lazy_alt. apply andb_false_iff. destruct r_ok; [left|right]; (apply IHf; [now constructor|assumption]).
  Qed.
End REFUTE.

Fixpoint rows_size (r : rows) : nat :=
  match r with
  | RAnd p q | ROr p q => S (rows_size p + rows_size q)
  | _ => 1
  end.

Definition with_facts (facts : list fact) (tab : table) : table :=
  fold_left (fun t f => with_size (snd f) (with_size (fst f) t)) facts tab.

Definition fact_rows (tab : table) (facts : list fact) : list lin :=
  flat_map (fun f =>
    match lin_of tab (ISize (fst f)), lin_of tab (ISize (snd f)) with
    | Some k, Some l => [tightened (lin_sub l k)]
    | _, _ => []
    end) facts.

(** By cases of remainders where a quotient's divisor is small; each case is tried where the last fails. *)
Definition entails_by_cases (depth : nat) (facts : list fact) (p q : icond) : bool :=
  let tab := with_facts facts (with_cond (with_cond [] p) q) in
  let cases := filter (fun d => (snd d <=? 16)%positive) (remainders 0 tab) in
  ordered 0 tab &&&
  match rows_of tab true p, rows_of tab false q with
  | Some a, Some b =>
      refute depth (length tab) cases (S (rows_size a + rows_size b)) [a; b]
        (fold_right add_row [] (fact_rows tab facts ++ map tightened (defining 0 tab)))
  | _, _ => false
  end.

Definition entails : list fact -> icond -> icond -> bool := entails_by_cases 0.

Lemma fact_rows_nonneg sg iv tab facts : ordered 0 tab = true -> facts_hold sg facts ->
  Forall (nonneg (table_val sg iv tab [])) (fact_rows tab facts).
Proof.
  intros order FACTS. apply Forall_forall. intros l l_in. apply in_flat_map in l_in as ([c d] & assumed & l_in).
  cbn [fst snd] in l_in.
  destruct (lin_of tab (ISize c)) as [k|] eqn:of_c; [|contradiction].
  destruct (lin_of tab (ISize d)) as [m|] eqn:of_d; [|contradiction].
  destruct l_in as [<-|[]]. apply tightened_nonneg. unfold nonneg.
  rewrite lin_sub_val, (lin_of_val sg iv tab order _ _ of_c), (lin_of_val sg iv tab order _ _ of_d).
  specialize (FACTS c d assumed). cbn [iterm_val]. lia.
Qed.

Theorem entails_by_cases_sound depth sg facts p q :
  facts_hold sg facts -> entails_by_cases depth facts p q = true ->
  forall iv, icond_val sg iv p = true -> icond_val sg iv q = true.
Proof.
  intros FACTS. unfold entails_by_cases. set (tab := with_facts _ _). intros checked iv p_true.
  rewrite <- andb_lazy_alt in checked. apply andb_true_iff in checked as [order checked].
  destruct (rows_of tab true p) as [a|] eqn:rows_p; [|discriminate].
  destruct (rows_of tab false q) as [b|] eqn:rows_q; [|discriminate].
  destruct (icond_val sg iv q) eqn:q_value; [reflexivity|].
  pose proof (defining_nonneg sg iv tab [] order) as known. cbn [length] in known.
  rewrite (refute_sound _ _ _ _ (table_val sg iv tab [])) in checked; [discriminate| | |].
  - apply Forall_forall. intros d d_in. apply filter_In in d_in as [d_in _].
    exact (proj1 (Forall_forall _ _) (remainders_bounded _ tab 0%nat known) d d_in).
  - repeat constructor; eapply rows_of_hold; eassumption.
  - apply add_rows_nonneg; [|constructor]. apply Forall_app. split; [now apply fact_rows_nonneg|].
    apply Forall_map. apply Forall_impl with (2 := known). intros l. apply tightened_nonneg.
Qed.

Theorem entails_sound sg facts p q : facts_hold sg facts -> entails facts p q = true ->
  forall iv, icond_val sg iv p = true -> icond_val sg iv q = true.
Proof. apply entails_by_cases_sound. Qed.
