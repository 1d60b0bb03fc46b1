(** What the atoms of a table are worth, and so what a linear form is.

    [table_val]   the values of a table's atoms
    [defining]    what is known of each: it is not negative, or lies between two multiples
    [lin_of_val]  a term's linear form has its value *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel adjoint.Linear.
Import ListNotations.
Local Open Scope Z_scope.

Section VALUES.
  Context (sg : nat -> nat) (iv : list nat).

  Definition entry_val (v : list Z) (e : entry) : Z :=
    match e with
    | EVar i => Z.of_nat (nth i iv 0%nat)
    | EMono m => mono_val sg m
    | EDiv l m => lin_val v l / Zpos m
    end.

  Fixpoint table_val (tab : table) (v : list Z) : list Z :=
    match tab with
    | [] => v
    | e :: r => table_val r (v ++ [entry_val v e])
    end.

  Lemma dot_app c : forall v w, (length c <= length v)%nat -> dot c (v ++ w) = dot c v.
  Proof using Type.
    induction c as [|a c IHc]; intros [|x v] w; cbn; try lia; intros short.
    rewrite IHc; lia.
  Qed.

  Lemma table_val_app tab : forall v, exists w, table_val tab v = v ++ w.
  Proof using Type.
    induction tab as [|e tab IHtab]; intros v; cbn.
    - exists []. now rewrite app_nil_r.
    - destruct (IHtab (v ++ [entry_val v e])) as [w same]. rewrite same, <- app_assoc.
      now exists ([entry_val v e] ++ w).
  Qed.

  Lemma table_val_position tab : forall v e k, ordered (length v) tab = true ->
    position e tab = Some k ->
    nth (length v + k) (table_val tab v) 0 = entry_val (table_val tab v) e.
  Proof using Type.
    induction tab as [|f tab IHtab]; intros v e k; cbn [ordered position table_val]; [discriminate|].
    intros order. destruct (entry_eq_dec e f) as [<-|_].
    - injection 1 as <-. rewrite Nat.add_0_r.
      destruct (table_val_app tab (v ++ [entry_val v e])) as [w same]. rewrite same, <- app_assoc.
      rewrite app_nth2, Nat.sub_diag by lia. cbn. destruct e as [i|m|l m]; cbn; try reflexivity.
      apply andb_true_iff in order as [short _]. apply Nat.leb_le in short.
      unfold lin_val. now rewrite dot_app by lia.
    - destruct (position e tab) as [j|] eqn:at_j; cbn; [|discriminate]. injection 1 as <-.
      rewrite Nat.add_succ_r, <- Nat.add_succ_l.
      replace (S (length v)) with (length (v ++ [entry_val v f])) by (rewrite app_length; cbn; lia).
      apply IHtab; [|assumption]. rewrite app_length, Nat.add_1_r.
      destruct f; try assumption. now apply andb_true_iff in order.
  Qed.

  Lemma mono_nonneg m : 0 <= mono_val sg m.
  Proof using Type. apply mono_val_nonneg. Qed.

  Lemma defining_nonneg tab : forall v, ordered (length v) tab = true ->
    Forall (fun l => 0 <= lin_val (table_val tab v) l) (defining (length v) tab).
  Proof using Type.
    induction tab as [|e tab IHtab]; intros v; cbn [ordered table_val defining]; [constructor|].
    intros order.
    assert (rest : ordered (length (v ++ [entry_val v e])) tab = true).
    { rewrite app_length, Nat.add_1_r. destruct e; try assumption. now apply andb_true_iff in order. }
    specialize (IHtab _ rest). rewrite app_length, Nat.add_1_r in IHtab.
    destruct (table_val_app tab (v ++ [entry_val v e])) as [w same]. rewrite same in *.
    assert (here : forall x, nth (length v) ((v ++ [x]) ++ w) 0 = x).
    { intros x. rewrite <- app_assoc, app_nth2, Nat.sub_diag by lia. reflexivity. }
    destruct e as [i|m|l m]; cbn [entry_val] in *.
    - constructor; [|assumption]. rewrite lin_atom_val, here. lia.
    - constructor; [|assumption]. rewrite lin_atom_val, here. apply mono_nonneg.
    - apply andb_true_iff in order as [short _]. apply Nat.leb_le in short.
      assert (value : lin_val ((v ++ [lin_val v l / Zpos m]) ++ w) l = lin_val v l).
      { unfold lin_val. rewrite <- app_assoc. now rewrite dot_app. }
      pose proof (Z.div_mod (lin_val v l) (Zpos m)). pose proof (Z.mod_pos_bound (lin_val v l) (Zpos m)).
      constructor; [|constructor; [|assumption]];
        rewrite !lin_sub_val, ?lin_const_val, lin_scale_val, lin_atom_val, here, value; lia.
  Qed.

  Section TABLE.
    Context (tab : table) (ORDER : ordered 0 tab = true).
    Let v : list Z := table_val tab [].

    Lemma atom_of_val e l : atom_of tab e = Some l -> lin_val v l = entry_val v e.
    Proof using ORDER.
      unfold atom_of. destruct (position e tab) as [k|] eqn:at_k; [|discriminate].
      cbn. injection 1 as <-. rewrite lin_atom_val. exact (table_val_position tab [] e k ORDER at_k).
    Qed.

    Lemma quotient_val l m q : quotient tab l m = Some q -> lin_val v q = lin_val v l / Zpos m.
    Proof using ORDER.
      unfold quotient. rewrite (parts_val v l m), Z.mul_comm, Z.div_add_l by lia.
      destruct (forallb (Z.eqb 0) (fst (rest_part l m))) eqn:zeros.
      - injection 1 as <-. unfold lin_val at 3. rewrite (zeros_dot _ _ zeros). cbn [fst snd rest_part].
        rewrite Z.add_0_l, Z.mod_div by lia. lia.
      - destruct (atom_of tab (EDiv (rest_part l m) m)) as [k|] eqn:found; [|discriminate].
        cbn [option_map]. injection 1 as <-. rewrite lin_add_val, (atom_of_val _ _ found). reflexivity.
    Qed.

    Lemma poly_lin_val p l : poly_lin (fun m => atom_of tab (EMono m)) p = Some l ->
      lin_val v l = poly_val sg p.
    Proof using ORDER.
      revert l. induction p as [|[m c] p IHp]; cbn [poly_lin]; intros l.
      - injection 1 as <-. now rewrite lin_const_val.
      - rewrite poly_val_cons. destruct m as [|x m].
        + destruct (poly_lin _ p) as [r|]; [|discriminate]. cbn [option_map]. injection 1 as <-.
          rewrite lin_add_val, lin_const_val, (IHp r eq_refl). change (mono_val sg []) with 1. lia.
        + destruct (atom_of tab (EMono (x :: m))) as [k|] eqn:found; [|discriminate].
          destruct (poly_lin _ p) as [r|]; [|discriminate]. injection 1 as <-.
          rewrite lin_add_val, lin_scale_val, (IHp r eq_refl), (atom_of_val _ _ found).
          cbn [entry_val]. lia.
    Qed.

    Lemma lin_of_val t : forall l, lin_of tab t = Some l -> lin_val v l = iterm_val sg iv t.
    Proof using ORDER.
      induction t as [i|z|s|a IHa b IHb|c a IHa|a IHa m|a IHa m]; cbn [lin_of iterm_val]; intros l.
      - apply atom_of_val.
      - injection 1 as <-. apply lin_const_val.
      - intros found. rewrite (poly_lin_val _ _ found). apply norm_val.
      - destruct (lin_of tab a) as [k|]; [|discriminate]. destruct (lin_of tab b) as [r|]; [|discriminate].
        injection 1 as <-. now rewrite lin_add_val, (IHa _ eq_refl), (IHb _ eq_refl).
      - destruct (lin_of tab a) as [k|]; [|discriminate]. injection 1 as <-.
        now rewrite lin_scale_val, (IHa _ eq_refl).
      - destruct (lin_of tab a) as [k|]; [|discriminate]. intros found.
        rewrite (quotient_val _ _ _ found). now rewrite (IHa _ eq_refl).
      - destruct (lin_of tab a) as [k|]; [|discriminate].
        destruct (quotient tab k m) as [q|] eqn:found; [|discriminate]. injection 1 as <-.
        rewrite lin_sub_val, lin_scale_val, (quotient_val _ _ _ found), (IHa _ eq_refl). pose proof (Z.div_mod (iterm_val sg iv a) (Zpos m)). lia.
    Qed.
  End TABLE.
End VALUES.
