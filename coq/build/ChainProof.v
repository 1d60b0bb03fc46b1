(** What a checked chain means: if the claim of each step holds, the outputs of the first and the last graph
    have the same values, whatever is given. *)

From Coq Require Import PArith List Bool FMapPositive.
From Vouch Require Import build.Chain.
Import ListNotations.

Section Meaning.
  Variable A : Type.
  Variable meaning : positive -> list A -> A.
  Variable given : positive -> A.

  Local Notation look := (value_in A given).
  Local Notation run := (evaluated A meaning given).

  Lemma look_added vals v a w : look (PositiveMap.add v a vals) w = if Pos.eqb w v then a else look vals w.
  Proof.
    unfold value_in. destruct (Pos.eqb_spec w v) as [-> | other].
    - now rewrite PositiveMap.gss.
    - now rewrite PositiveMap.gso.
  Qed.

  (** What is older than all nodes of a graph keeps its value. *)
  Lemma run_keeps g : forall last vals v, rising last g = true -> (v <= last)%positive -> look (run g vals) v = look vals v.
  Proof.
    induction g as [| n more IH]; intros last vals v up older; simpl in *; [reflexivity |].
    apply andb_true_iff in up as [up tail]. apply andb_true_iff in up as [newer _].
    apply Pos.ltb_lt in newer.
    rewrite (IH (no_id n)); [| exact tail | now apply Pos.lt_le_incl, (Pos.le_lt_trans _ last)].
    rewrite look_added. destruct (Pos.eqb_spec v (no_id n)) as [-> |]; [| reflexivity].
    exfalso. exact (Pos.lt_irrefl _ (Pos.le_lt_trans _ _ _ older newer)).
  Qed.

  (** Each node has the value of its call. *)
  Definition is_value (val : positive -> A) (n : node) : Prop :=
    val (no_id n) = meaning (no_symbol n) (map val (no_operands n)).

  Lemma run_is_value g : forall last vals, rising last g = true -> Forall (is_value (look (run g vals))) g.
  Proof.
    induction g as [| n more IH]; intros last vals up; simpl in *; constructor.
    - apply andb_true_iff in up as [up tail]. apply andb_true_iff in up as [_ older].
      unfold is_value. rewrite (run_keeps more (no_id n)); [| exact tail | apply Pos.le_refl].
      rewrite look_added, Pos.eqb_refl. unfold node_value. f_equal.
      apply map_ext_in. intros v there.
      rewrite forallb_forall in older. specialize (older v there). apply Pos.ltb_lt in older.
      rewrite (run_keeps more (no_id n)); [| exact tail | now apply Pos.lt_le_incl].
      rewrite look_added. destruct (Pos.eqb_spec v (no_id n)) as [-> |]; [| reflexivity].
      exfalso. exact (Pos.lt_irrefl _ older).
    - apply andb_true_iff in up as [_ tail]. exact (IH _ _ tail).
  Qed.

  (** From here on [val] is any account of the values of all nodes. *)
  Variable val : positive -> A.

  Definition called (known : calls) : Prop :=
    forall v s l, PositiveMap.find v known = Some (s, l) -> val v = meaning s (map val l).

  Lemma calls_of_called g : forall known, Forall (is_value val) g -> called known -> called (calls_of g known).
  Proof.
    induction g as [| n more IH]; intros known holds before; simpl; [exact before |].
    inversion holds as [| x l here there]; subst. apply IH; [exact there |].
    intros v s l. destruct (Pos.eq_dec v (no_id n)) as [-> | other].
    - rewrite PositiveMap.gss. intros e. inversion e. subst. exact here.
    - rewrite PositiveMap.gso; [apply before | exact other].
  Qed.

  Definition truly (same : sames) : Prop := forall v w, PositiveMap.find v same = Some w -> val v = val w.

  Lemma newest_value same : truly same -> forall hops v, val (newest_within hops same v) = val v.
  Proof.
    intros true_. induction hops as [| hops IH]; intros v; simpl; [reflexivity |].
    destruct (PositiveMap.find v same) as [w |] eqn:next; [| reflexivity].
    rewrite IH. symmetry. exact (true_ _ _ next).
  Qed.

  Lemma all_same_values same : truly same -> forall l m, all_same same l m = true -> map val l = map val m.
  Proof.
    intros true_. induction l as [| v l IH]; destruct m as [| w m]; simpl; intros good; try easy.
    apply andb_true_iff in good as [one more]. apply Pos.eqb_eq in one.
    f_equal; [| exact (IH _ more)].
    rewrite <- (newest_value same true_ most_hops v), <- (newest_value same true_ most_hops w).
    unfold newest in one. now rewrite one.
  Qed.

  Lemma was_value known same n : called known -> truly same -> was known same n = true -> is_value val n.
  Proof.
    unfold was, is_value. intros calls_ true_ good.
    destruct (PositiveMap.find (no_id n) known) as [[s l] |] eqn:there; [| discriminate].
    apply andb_true_iff in good as [symbol operands]. apply Pos.eqb_eq in symbol. subst s.
    rewrite (calls_ _ _ _ there). f_equal. exact (all_same_values same true_ _ _ operands).
  Qed.

  (** Small graphs of nodes that there were, given their values, have their values. *)
  Lemma region_values g : Forall (is_value val) g -> forall vals, (forall v, value_in A val vals v = val v) ->
    forall v, value_in A val (evaluated A meaning val g vals) v = val v.
  Proof.
    induction g as [| n more IH]; intros good vals here v; simpl; [apply here |].
    inversion good as [| x l first others]; subst. apply IH; [exact others |].
    intros w. unfold value_in. destruct (Pos.eq_dec w (no_id n)) as [-> | other].
    - rewrite PositiveMap.gss. unfold node_value. rewrite first. f_equal. apply map_ext. exact here.
    - rewrite PositiveMap.gso; [apply here | exact other].
  Qed.

  Lemma region_value g v : Forall (is_value val) g -> values_of A meaning val g v = val v.
  Proof.
    intros good. apply region_values; [exact good |].
    intros w. unfold value_in. now rewrite PositiveMap.gempty.
  Qed.

  Lemma forallb_was known same g : called known -> truly same -> forallb (was known same) g = true ->
    Forall (is_value val) g.
  Proof.
    intros calls_ true_ good. apply Forall_forall. intros n there.
    rewrite forallb_forall in good. exact (was_value known same n calls_ true_ (good n there)).
  Qed.

  Lemma step_value known same s from to : called known -> truly same -> region_holds meaning s ->
    match s with
    | Region before after v w => (forallb (was known same) before && forallb (was known same) after, v, w)
    | Same v w => (same_call known same v w, v, w)
    end = (true, from, to) -> val from = val to.
  Proof.
    intros calls_ true_ claim good. destruct s as [before after v w | v w]; inversion good as [[checked one two]]; subst.
    - apply andb_true_iff in checked as [old new].
      specialize (claim val).
      rewrite (region_value before from (forallb_was _ _ _ calls_ true_ old)) in claim.
      now rewrite (region_value after to (forallb_was _ _ _ calls_ true_ new)) in claim.
    - unfold same_call in checked.
      destruct (PositiveMap.find from known) as [[s l] |] eqn:one; [| discriminate].
      destruct (PositiveMap.find to known) as [[t m] |] eqn:two; [| discriminate].
      apply andb_true_iff in checked as [symbol operands]. apply Pos.eqb_eq in symbol. subst t.
      rewrite (calls_ _ _ _ one), (calls_ _ _ _ two). f_equal. exact (all_same_values same true_ _ _ operands).
  Qed.

  Lemma steps_truly known steps : called known -> Forall (region_holds meaning) steps ->
    forall same end_, truly same -> steps_ok known same steps = Some end_ -> truly end_.
  Proof.
    intros calls_. induction steps as [| s more IH]; intros claims same end_ true_ good; simpl in good.
    - now inversion good; subst.
    - inversion claims as [| x l claim others]; subst.
      destruct (match s with Region _ _ _ _ => _ | Same _ _ => _ end) as [[ok from] to] eqn:what.
      destruct ok; [| discriminate].
      apply (IH others _ _) in good; [exact good |].
      intros v w. destruct (Pos.eq_dec v from) as [-> | other].
      + rewrite PositiveMap.gss. intros e. inversion e. subst.
        exact (step_value known same s from w calls_ true_ claim what).
      + rewrite PositiveMap.gso; [apply true_ | exact other].
  Qed.

  (** Of a graph that is grounded, [val] has the values, if it has those that are given. *)
  Lemma grounded_values known same : called known -> truly same ->
    (forall v, PositiveMap.find v known = None -> val v = given v) ->
    forall g done outputs vals, grounded known same done g outputs = true ->
    (forall v, PositiveMap.find v done <> None -> look vals v = val v) ->
    (forall v, PositiveMap.find v known = None -> look vals v = val v) ->
    map (look (run g vals)) outputs = map val outputs.
  Proof.
    intros calls_ true_ leaves.
    assert (there : forall done vals, (forall v, PositiveMap.find v done <> None -> look vals v = val v) ->
              (forall v, PositiveMap.find v known = None -> look vals v = val v) ->
              forall v, is_there known done v = true -> look vals v = val v).
    { intros done vals held free v. unfold is_there.
      destruct (PositiveMap.find v done) eqn:is_done.
      - intros _. apply held. now rewrite is_done.
      - destruct (PositiveMap.find v known) eqn:is_known; [discriminate |]. intros _. now apply free. }
    induction g as [| n more IH]; intros done outputs vals good held free; simpl in *.
    - apply map_ext_in. intros v inside. rewrite forallb_forall in good.
      exact (there done vals held free v (good v inside)).
    - apply andb_true_iff in good as [good tail]. apply andb_true_iff in good as [old operands].
      assert (here : node_value A meaning given vals n = val (no_id n)).
      { rewrite (was_value known same n calls_ true_ old). unfold node_value. f_equal.
        apply map_ext_in. intros v inside. rewrite forallb_forall in operands.
        exact (there done vals held free v (operands v inside)). }
      apply (IH (PositiveMap.add (no_id n) tt done)); [exact tail | |].
      + intros v. rewrite look_added. destruct (Pos.eqb_spec v (no_id n)) as [-> | other].
        * intros _. exact here.
        * rewrite PositiveMap.gso; [apply held | exact other].
      + intros v unknown. rewrite look_added. destruct (Pos.eqb_spec v (no_id n)) as [-> | other].
        * exact here.
        * exact (free v unknown).
  Qed.
End Meaning.

(** What no node of a graph defines is what is given. *)
Lemma undefined_given A meaning given g : forall known vals,
  (forall v, PositiveMap.find v known = None -> value_in A given vals v = given v) ->
  forall v, PositiveMap.find v (calls_of g known) = None -> value_in A given (evaluated A meaning given g vals) v = given v.
Proof.
  induction g as [| n more IH]; intros known vals before v none; simpl in *; [exact (before v none) |].
  refine (IH _ _ _ v none). intros w. destruct (Pos.eq_dec w (no_id n)) as [-> | other].
  - now rewrite PositiveMap.gss.
  - rewrite PositiveMap.gso; [| exact other]. intros unknown.
    rewrite look_added. destruct (Pos.eqb_spec w (no_id n)); [contradiction | exact (before w unknown)].
Qed.

Theorem chain_outputs c : chain_ok c = true ->
  forall A (meaning : positive -> list A -> A), Forall (region_holds meaning) (ch_steps c) ->
  forall given, map (values_of A meaning given (ch_last c)) (ch_last_outputs c) =
                map (values_of A meaning given (ch_first c)) (ch_first_outputs c).
Proof.
  intros good A meaning claims given. unfold chain_ok in good.
  set (known := calls_of (ch_nodes c) (PositiveMap.empty _)) in good.
  apply andb_true_iff in good as [good steps]. apply andb_true_iff in good as [up first].
  destruct (steps_ok known (PositiveMap.empty _) (ch_steps c)) as [same |] eqn:ran; [| discriminate].
  apply andb_true_iff in steps as [last outputs].
  set (val := values_of A meaning given (ch_nodes c)).
  assert (calls_ : called A meaning val known).
  { apply calls_of_called.
    - exact (run_is_value A meaning given (ch_nodes c) 1 _ up).
    - intros v s l. rewrite PositiveMap.gempty. discriminate. }
  assert (leaves : forall v, PositiveMap.find v known = None -> val v = given v).
  { intros v. apply undefined_given. intros w _. unfold value_in. now rewrite PositiveMap.gempty. }
  assert (none : truly A val (PositiveMap.empty _)).
  { intros v w. rewrite PositiveMap.gempty. discriminate. }
  assert (true_ : truly A val same) by exact (steps_truly A meaning val known _ calls_ claims _ _ none ran).
  assert (of_graph : forall s g o, truly A val s -> grounded known s (PositiveMap.empty _) g o = true ->
            map (values_of A meaning given g) o = map val o).
  { intros s g o holds is_good. apply (grounded_values A meaning given val known s calls_ holds leaves g (PositiveMap.empty _)).
    - exact is_good.
    - intros v. now rewrite PositiveMap.gempty.
    - intros v unknown. rewrite (leaves v unknown). unfold value_in. now rewrite PositiveMap.gempty. }
  rewrite (of_graph same _ _ true_ last), (of_graph _ _ _ none first).
  symmetry. exact (all_same_values A val same true_ _ _ outputs).
Qed.
